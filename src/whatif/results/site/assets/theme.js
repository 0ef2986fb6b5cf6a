// The button `theme` switches between light and dark colours. The choice is kept if the browser allows it, which it may
// refuse for pages that are opened from files; without a choice, the colours are those that the system prefers.
// On a narrow screen, where the navigation scrolls, the current entry is scrolled into view.
(function () {
  "use strict";
  var root = document.documentElement;
  var key = "whatif-theme";

  function kept() {
    try {
      return localStorage.getItem(key);
    } catch (error) {
      return null;
    }
  }

  function keep(theme) {
    try {
      localStorage.setItem(key, theme);
    } catch (error) {
      // The choice then holds for this page.
    }
  }

  function isDark() {
    var theme = root.getAttribute("data-theme");
    return theme ? theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }

  var chosen = kept();
  if (chosen === "dark" || chosen === "light") {
    root.setAttribute("data-theme", chosen);
  }

  document.addEventListener("DOMContentLoaded", function () {
    var current = document.querySelector("nav.main [aria-current]");
    if (current) {
      var list = current.closest("ul");
      list.scrollLeft = current.offsetLeft - list.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
    }
    var button = document.getElementById("theme");
    if (!button) {
      return;
    }
    button.hidden = false;
    button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", function () {
      var theme = isDark() ? "light" : "dark";
      root.setAttribute("data-theme", theme);
      button.setAttribute("aria-pressed", String(theme === "dark"));
      keep(theme);
    });
  });
})();
