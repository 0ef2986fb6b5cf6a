"use strict";
// The item browser: loads data files, keeps its whole state in the address, lists matches and shows items.
(() => {
  const { FILTERS, SIDE_KEYS, SIDE_NAMES, VERDICTS, codeAt, filtersOf, format, isFiltered, itemView, lines, make,
    matching, parse, prepare, verdict } = self.whatif;
  const PER_PAGE = 50;
  const KEPT_FILES = 12;
  const TYPING_PAUSE = 120; // milliseconds
  const SIDE_LABELS = { original: "On the original", counterfactual: "On the counterfactual", "": "Answer" };
  const KEYS_SETTING = "whatif-keys"; // in the browser's storage: `off` switches keys of one letter off

  const at = (id) => document.getElementById(id);
  let index = null;
  let texts = null; // normalised text of each item, once somebody has searched
  let state = {};
  let matches = [];
  let matchedFor = null;
  let round = 0; // of `show`: what an earlier round still waits for is out of date
  let viewer = { pictures: [], place: 0 };

  // ---- data files: each calls push with its kind, number and data

  const arrived = new Map();
  const receive = ([kind, number, data]) => arrived.get(`${kind}-${number}`)?.resolve(data);
  const early = self.whatifItems || [];
  self.whatifItems = { push: receive };

  /** The data of a file that is loaded once, as long as it is kept. */
  function load(kind, number) {
    const key = `${kind}-${number}`;
    let entry = arrived.get(key);
    if (!entry) {
      entry = {};
      entry.data = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
      arrived.set(key, entry);
      const path = kind === "index" ? "data/index.js" : `data/${key}.js`;
      const script = make("script", { src: path });
      script.addEventListener("load", () => script.remove());
      script.addEventListener("error", () => {
        arrived.delete(key);
        script.remove();
        entry.reject(new Error(`The file ${path} cannot be read. Is the site complete?`));
      });
      document.head.append(script);
    }
    return entry.data;
  }

  async function loadItem(position) {
    const number = Math.floor(position / index.perFile);
    const items = await load("items", number);
    const kept = [...arrived.keys()].filter((key) => key.startsWith("items-"));
    for (const key of kept.slice(0, -KEPT_FILES)) if (key !== `items-${number}`) arrived.delete(key);
    return items[position % index.perFile];
  }

  async function loadTexts() {
    const files = await Promise.all(Array.from({ length: index.textFiles }, (_, number) => load("text", number)));
    texts = files.flatMap((file) => lines(file, 1));
    for (const key of [...arrived.keys()]) if (key.startsWith("text-")) arrived.delete(key);
  }

  // ---- the state

  /**
   * Goes to a state that differs from the present one by `changes`: a new entry of the history, or the same. The address and
   * the page change together; setting `location.hash` would show the page later.
   */
  function go(changes, { replace = false } = {}) {
    visit(format({ ...state, ...changes }), replace);
  }

  function visit(hash, replace = false) {
    if (replace || hash === format(state)) history.replaceState(null, "", hash);
    else history.pushState(null, "", hash);
    show().catch(failed);
  }

  async function show() {
    const mine = ++round;
    const before = state;
    const parsed = parse(location.hash, index);
    state = parsed.state;
    tell(parsed.unknown.length ? `This address names what is not here: ${parsed.unknown.join(", ")}.` : "");
    fillControls();
    if (state.q && !texts) {
      at("count").textContent = "Loading the texts…";
      await loadTexts();
      if (mine !== round) return;
    }
    const wanted = filtersOf(state);
    if (wanted !== matchedFor) {
      matches = matching(index, state, texts);
      matchedFor = wanted;
    }
    if (state.item) await showItem(before, mine);
    else showList(before);
  }

  const tell = (words) => {
    at("trouble").textContent = words;
    at("trouble").hidden = !words;
  };
  const failed = (error) => {
    tell(error.message);
    at("count").textContent = "";
    at("items").removeAttribute("aria-busy");
  };

  // ---- filters

  const option = (value, text) => make("option", { value }, text);

  function buildControls() {
    const counts = new Map();
    for (const group of index.groupOf) counts.set(group, (counts.get(group) || 0) + 1);
    at("group").append(...index.groups.flatMap((name, number) =>
      (name ? [option(name, `${name} (${counts.get(number).toLocaleString("en")})`)] : [])));
    at("view").append(...index.views.map((view) => option(view.name, view.heading)));
    for (const id of ["system", "other"]) at(id).append(...index.systems.map((name) => option(name, name)));
    for (const [side, key] of Object.entries(SIDE_KEYS)) at(`field-${key}`).hidden = !index.sides.includes(side);
    at("field-group").hidden = index.groups.filter(Boolean).length < 2;
    at("field-view").hidden = !index.views.length;
    at("field-system").hidden = !index.systems.length;
    at("field-all").hidden = !index.systems.length;
    at("field-other").hidden = index.systems.length < 2;
    const paired = index.sides.includes("original") && index.sides.includes("counterfactual");
    for (const button of document.querySelectorAll("#presets button[data-preset]")) {
      const needed = button.dataset;
      button.hidden = !index.systems.length || ("paired" in needed && !paired)
        || ("two" in needed && index.systems.length < 2);
      button.addEventListener("click", () => go({ page: "", ...(isPressed(button) ? cleared(button) : preset(button)) }));
    }
    at("q").addEventListener("input", later((value) => go({ q: value, page: "" }, { replace: true })));
    for (const key of FILTERS.slice(1)) {
      at(key).addEventListener("change", () => go({ [key]: at(key).value, page: "" }));
    }
    at("clear").addEventListener("click", () => {
      at("q").value = "";
      go(Object.fromEntries([...FILTERS, "page"].map((key) => [key, ""])));
    });
    at("filter-fields").open = !matchMedia("(max-width: 44rem)").matches;
    at("filters").addEventListener("submit", (event) => event.preventDefault());
    at("views").hidden = !index.views.length;
    at("view-links").append(...index.views.map((view) => make("li", {},
      make("a", { href: format({ view: view.name }) }, view.heading), ` (${view.items.length.toLocaleString("en")})`)));
  }

  const later = (act) => {
    let timer = 0;
    return (event) => {
      clearTimeout(timer);
      const { value } = event.target;
      timer = setTimeout(() => act(value), TYPING_PAUSE);
    };
  };

  /** What a button sets; systems disagree: the chosen one and another, or the first two. */
  function preset(button) {
    const { original = "", counterfactual = "", all = "" } = button.dataset;
    if (!("two" in button.dataset)) return { original, counterfactual, all, other: "" };
    const system = state.system || index.systems[0];
    const other = state.other || index.systems.find((name) => name !== system);
    return { system, other, original: "", counterfactual: "", all: "" };
  }
  const cleared = (button) => ("two" in button.dataset ? { other: "" } : { original: "", counterfactual: "", all: "" });

  function isPressed(button) {
    if ("two" in button.dataset) return Boolean(state.system && state.other);
    return ["original", "counterfactual", "all"].every((key) => (button.dataset[key] || "") === state[key]);
  }

  function fillControls() {
    if (document.activeElement !== at("q")) at("q").value = state.q;
    for (const key of FILTERS.slice(1)) at(key).value = state[key];
    at("other").disabled = !state.system;
    at("clear").hidden = !isFiltered(state);
    for (const button of document.querySelectorAll("#presets button[data-preset]")) {
      button.setAttribute("aria-pressed", String(isPressed(button)));
    }
    const chosen = [state.group, state.system, state.original, state.counterfactual, state.answers, state.other, state.all,
      state.view].filter(Boolean).length;
    at("more").textContent = chosen ? `Filters (${chosen} set)` : "Filters";
  }

  // ---- the list

  function showList(before) {
    const wasItem = !at("item").hidden && before.item;
    at("item").hidden = true;
    at("item").replaceChildren();
    at("item").removeAttribute("aria-labelledby");
    at("browse").hidden = false;
    document.title = baseTitle;
    const pages = Math.max(1, Math.ceil(matches.length / PER_PAGE));
    let page = Math.min(pages, Number(state.page || 1));
    if (wasItem && !state.page) page = Math.floor(Math.max(0, matches.indexOf(index.position.get(before.item))) / PER_PAGE) + 1;
    const start = (page - 1) * PER_PAGE;
    const shown = matches.slice(start, start + PER_PAGE);
    const all = index.count.toLocaleString("en");
    at("count").textContent = isFiltered(state) ? `${matches.length.toLocaleString("en")} of ${all} items match`
      : `${all} ${index.count === 1 ? "item" : "items"}`;
    const view = index.view.get(state.view);
    at("view-text").hidden = !view;
    at("view-text").replaceChildren(...(view ? [make("h2", {}, view.heading), make("p", {}, view.text)] : []));
    at("matches").setAttribute("start", String(start + 1));
    at("matches").replaceChildren(...shown.map(entry));
    at("nothing").hidden = matches.length > 0;
    for (const id of ["pages-above", "pages-below"]) showPages(at(id), page, pages);
    if (document.activeElement === at("q")) return; // somebody types
    if (wasItem) at("matches").querySelector(`[data-position="${index.position.get(before.item)}"]`)?.focus();
    else if (before.page !== undefined && before.page !== state.page && filtersOf(before) === filtersOf(state)) {
      at("matches").querySelector("a")?.focus();
    }
  }

  function showPages(nav, page, pages) {
    const link = (number, words, rel) => (number >= 1 && number <= pages
      ? make("a", { class: "button", href: format({ ...state, page: String(number) }), rel }, words)
      : make("span", { class: "button off", "aria-hidden": "true" }, words));
    nav.hidden = pages < 2;
    nav.replaceChildren(link(page - 1, "Previous", "prev"),
      make("span", {}, `Page ${page.toLocaleString("en")} of ${pages.toLocaleString("en")}`), link(page + 1, "Next", "next"));
  }

  function entry(position) {
    const images = (index.thumbnails[position] || "").split(" ").filter(Boolean).map((file) =>
      make("img", { src: `pictures/${file}`, alt: "", loading: "lazy", decoding: "async", width: 72, height: 72 }));
    const id = index.ids[position];
    return make("li", {},
      make("a", { href: format({ ...state, page: "", item: id }), "data-position": String(position) },
        make("span", { class: "thumbnails" }, images),
        make("span", { class: "name", dir: "auto" }, index.titles[position] || id),
        make("span", { class: "group" }, make("bdi", {}, [index.groups[index.groupOf[position]], id].filter(Boolean).join(" · ")))),
      make("div", { class: "tallies" }, index.sides.map((side, place) => tally(position, side, place))));
  }

  /** How many systems are right on a side: one sign a system, and the same in words; or what the chosen one is. */
  function tally(position, side, place) {
    const name = SIDE_NAMES[side];
    if (state.system) {
      const code = String.fromCharCode(codeAt(index.codes[index.system.get(state.system)][place], position));
      return make("span", { class: "tally" }, name ? `${name}: ` : "", verdict(code));
    }
    const codes = index.codes.map((columns) => String.fromCharCode(codeAt(columns[place], position)));
    const asked = codes.filter((code) => code !== "-").length;
    if (!asked) return null;
    const right = codes.filter((code) => code === "r").length;
    const words = `${name ? `${name}: ` : ""}${right} of ${asked} right`;
    return make("span", { class: "tally" }, make("span", { class: "signs", "aria-hidden": "true" },
      codes.map((code, number) => make("span", { class: VERDICTS[code][0],
        title: `${index.systems[number]}: ${VERDICTS[code][2].toLowerCase()}` }, VERDICTS[code][1]))), make("span", {}, words));
  }

  // ---- an item

  async function showItem(before, mine) {
    const position = index.position.get(state.item);
    const item = await loadItem(position);
    if (mine !== round) return;
    const place = matches.indexOf(position);
    const [previous, next] = place >= 0 ? [matches[place - 1], matches[place + 1]]
      : [matches.filter((other) => other < position).pop(), matches.find((other) => other > position)];
    const article = at("item");
    const sameItem = !article.hidden && before.item === state.item;
    article.replaceChildren(itemBar(place, previous, next), itemHeading(position),
      ...itemView(item, { systems: index.systems, system: state.system, difference: state.difference === "shown",
        enlarge: openViewer, rememberDifference: (shown) => {
          state = { ...state, difference: shown ? "shown" : "" };
          history.replaceState(null, "", format(state));
          article.querySelector(".item-bar").replaceWith(itemBar(place, previous, next));
        } }));
    article.setAttribute("aria-labelledby", "item-title");
    article.hidden = false;
    at("browse").hidden = true;
    document.title = `${index.titles[position] || state.item} – ${baseTitle}`;
    if (!sameItem) {
      scrollTo({ top: 0, behavior: "instant" });
      at("item-title").focus({ preventScroll: true });
    }
    for (const neighbour of [previous, next]) if (neighbour !== undefined) loadItem(neighbour).catch(failed);
  }

  function itemBar(place, previous, next) {
    const total = matches.length.toLocaleString("en");
    const link = (position, words, name) => (position === undefined
      ? make("span", { class: "button off", "aria-hidden": "true" }, words)
      : make("a", { class: `button ${name}`, href: format({ ...state, item: index.ids[position] }) }, words));
    return make("nav", { class: "item-bar", "aria-label": "Items" },
      make("a", { class: "button to-list", href: format({ ...state, item: "", difference: "" }) }, "Back to the list"),
      link(previous, "Previous", "previous"),
      make("span", { class: "place" }, place >= 0 ? `${(place + 1).toLocaleString("en")} of ${total}` : "not among the matches"),
      link(next, "Next", "next"));
  }

  function itemHeading(position) {
    const views = index.views.filter((view) => view.items.includes(position));
    const group = index.groups[index.groupOf[position]];
    const said = make("span", { role: "status" });
    const address = `${location.href.split("#")[0]}${format({ item: state.item })}`;
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(address);
        said.textContent = "Copied.";
      } catch {
        const field = make("input", { type: "text", readonly: true, value: address, "aria-label": "Link to this item" });
        said.replaceChildren(field);
        field.select();
      }
    };
    return make("header", {},
      make("h2", { id: "item-title", tabindex: "-1", dir: "auto" }, index.titles[position] || state.item),
      make("p", { class: "about" },
        group ? make("span", {}, make("bdi", {}, group), " · ") : null, make("code", {}, state.item), " ",
        make("button", { type: "button", id: "copy", onclick: copy }, "Copy link to this item"), " ", said),
      views.length ? make("p", { class: "about" }, "Shown in: ", views.flatMap((view, place) =>
        [place ? ", " : null, make("a", { href: format({ view: view.name }) }, view.heading)])) : null);
  }

  // ---- dialogs

  function openViewer(pictures, place, opener) {
    viewer = { pictures, place, opener };
    showPicture();
    at("viewer").showModal();
  }

  function showPicture() {
    const picture = viewer.pictures[viewer.place];
    at("viewer-picture").src = picture.path;
    at("viewer-picture").alt = picture.text || picture.name || "Picture of this item";
    at("viewer-caption").textContent = [picture.name, picture.text].filter(Boolean).join(": ") || "Picture";
    at("viewer-place").textContent = `${viewer.place + 1} of ${viewer.pictures.length}`;
    for (const id of ["viewer-previous", "viewer-next"]) at(id).hidden = viewer.pictures.length < 2;
  }

  function turn(by) {
    viewer.place = (viewer.place + by + viewer.pictures.length) % viewer.pictures.length;
    showPicture();
  }

  function buildDialogs() {
    at("viewer-previous").addEventListener("click", () => turn(-1));
    at("viewer-next").addEventListener("click", () => turn(1));
    at("viewer").addEventListener("close", () => viewer.opener?.focus());
    for (const button of document.querySelectorAll("dialog .close")) {
      button.addEventListener("click", () => button.closest("dialog").close());
    }
    at("show-help").addEventListener("click", () => at("help").showModal());
    at("letters").checked = setting() !== "off";
    at("letters").addEventListener("change", () => setting(at("letters").checked ? "on" : "off"));
  }

  let chosenSetting = "";
  /** Whether keys of one letter are on, read or written; browsers may refuse storage to pages opened from a file. */
  function setting(value) {
    try {
      if (value) localStorage.setItem(KEYS_SETTING, value);
      return localStorage.getItem(KEYS_SETTING);
    } catch {
      chosenSetting = value || chosenSetting;
      return chosenSetting;
    }
  }

  // ---- keys

  const step = (by) => {
    if (!at("item").hidden) at("item").querySelector(by < 0 ? ".item-bar .previous" : ".item-bar .next")?.click();
    else {
      const links = [...at("matches").querySelectorAll("a")];
      const now = links.indexOf(document.activeElement);
      links[now < 0 ? 0 : Math.min(links.length - 1, Math.max(0, now + by))]?.focus();
    }
  };

  const ACTIONS = {
    j: () => step(1),
    k: () => step(-1),
    "/": () => {
      if (!at("item").hidden) go({ item: "" });
      at("browse").hidden = false;
      at("q").focus();
    },
    "?": () => at("help").showModal(),
  };

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const arrow = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (at("viewer").open) {
      if (arrow && viewer.pictures.length > 1) turn(arrow);
      return;
    }
    if (document.querySelector("dialog[open]") || event.target.closest("input, select, textarea, pre")) return;
    const table = event.target.closest(".answers-scroll");
    if (arrow && table && table.scrollWidth > table.clientWidth) return; // scrolls it
    if (arrow && !at("item").hidden) step(arrow);
    else if (event.key === "Escape" && !at("item").hidden) at("item").querySelector(".to-list").click();
    else if (event.key in ACTIONS && setting() !== "off") {
      event.preventDefault();
      ACTIONS[event.key]();
    }
  }

  // ---- start

  const baseTitle = document.title;
  const isPart = (hash) => /^#[^=]+$/.test(hash);

  /** A plain click on a link to a state shows it at once; the browser would tell of the new address later. */
  function onClick(event) {
    const hash = event.target.closest("a")?.getAttribute("href");
    if (!hash?.startsWith("#") || isPart(hash) || event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    visit(hash);
  }

  async function start() {
    index = prepare(await load("index", 0));
    buildControls();
    buildDialogs();
    document.addEventListener("keydown", onKey);
    document.addEventListener("click", onClick);
    addEventListener("hashchange", () => {
      // A link to a part of the page, such as the one that skips the header, is no state.
      if (isPart(location.hash)) history.replaceState(null, "", format(state));
      else show().catch(failed);
    });
    await show();
    at("items").removeAttribute("aria-busy");
    requestAnimationFrame(() => setTimeout(() => performance.mark("whatif-shown"))); // for bench/site.py
  }

  early.forEach(receive);
  start().catch(failed);
})();
