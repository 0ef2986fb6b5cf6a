/* Browsers start no worker for a page that was opened from a folder, so the search of the site would not work there.
   This one runs a worker's script in a hidden frame, with the part of the interface that the search uses. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.loaded = new Promise((resolve, reject) => {
        this.frame.addEventListener("load", () => {
          const inside = this.frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = new URL(address, location.href).href;
          script.addEventListener("load", () => resolve(inside));
          script.addEventListener("error", reject);
          inside.document.head.append(script);
        }, { once: true });
      });
      const attach = () => document.body.append(this.frame);
      if (document.body) attach();
      else document.addEventListener("DOMContentLoaded", attach);
    }
    postMessage(data) {
      this.loaded.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
