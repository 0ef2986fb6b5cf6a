"use strict";
// The item browser: loads data files, keeps its whole state in the address, lists matches and shows items.
(() => {
  const { FILTERS, SIDE_KEYS, SIDE_NAMES, VERDICTS, columnsOf, filtersOf, format, hashOf, isFiltered, itemView, make,
    matching, parse, prepare, terms, verdict } = self.whatif;
  const PER_PAGE = 50;
  const KEPT_FILES = { items: 12, list: 200, text: 20 }; // of files by kind that are kept in memory
  const AHEAD = 4; // files of texts that are loaded while one is searched
  const TYPING_PAUSE = 120; // milliseconds
  const SEARCH_SHOWN = 100; // milliseconds from when a search shows what it has found to when it does so again
  const SIDE_LABELS = { original: "On the original", counterfactual: "On the counterfactual", "": "Answer" };
  const KEYS_SETTING = "whatif-keys"; // in the browser's storage: `off` switches keys of one letter off

  const at = (id) => document.getElementById(id);
  let index = null;
  const positions = new Map(); // of the items that were met, by id
  let state = {};
  let matches = [];
  let matchedFor = null;
  let searching = null; // a search that goes on: how many items it has searched, and of how many
  let drawn = ""; // the entries of the list, so that a search that goes on leaves them as they are
  let round = 0; // of `show`: what an earlier round still waits for is out of date
  let viewer = { pictures: [], place: 0 };

  // ---- data files: each calls push with its kind, number and data

  const arrived = new Map();
  const receive = ([kind, number, data]) => {
    const entry = entryOf(`${kind}-${number}`);
    entry.isHere = true;
    entry.resolve(data);
  };
  const early = self.whatifItems || [];
  self.whatifItems = { push: receive };

  function entryOf(key) {
    if (!arrived.has(key)) {
      const entry = {};
      entry.data = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
      arrived.set(key, entry);
    }
    return arrived.get(key);
  }

  /** The data of a file that is loaded once, as long as it is kept; a small benchmark's are in data/index.js. */
  function load(kind, number) {
    const key = `${kind}-${number}`;
    if (arrived.has(key)) return arrived.get(key).data;
    const entry = entryOf(key);
    entry.kind = kind;
    const path = kind === "index" ? "data/index.js" : `data/${key}.js`;
    const script = make("script", { src: path });
    script.addEventListener("load", () => script.remove());
    script.addEventListener("error", () => {
      arrived.delete(key);
      script.remove();
      entry.reject(new Error(`The file ${path} cannot be read. Is the site complete?`));
    });
    document.head.append(script);
    return entry.data;
  }

  /** Forgets files of a kind beyond the number that is kept: those that came first. */
  function forget(kind) {
    const here = [...arrived].filter(([, entry]) => entry.kind === kind && entry.isHere);
    for (const [key] of here.slice(0, -KEPT_FILES[kind])) arrived.delete(key);
  }

  async function loadItem(position) {
    const items = await load("items", Math.floor(position / index.perFile));
    forget("items");
    return items[position % index.perFile];
  }

  /** What the list shows of an item; its `codes` have a letter for each system, by side. */
  async function rowOf(position) {
    const [id, title, thumbnails, group, codes] = (await load("list", Math.floor(position / index.perList)))[position % index.perList];
    positions.set(id, position);
    return { position, id, title: title || id, thumbnails, group: index.groups[group], codes };
  }

  async function rowsOf(some) {
    const rows = await Promise.all(some.map(rowOf));
    forget("list");
    return rows;
  }

  /** The position of the item with an id; undefined if there is none. */
  async function positionOf(id) {
    if (!positions.has(id)) {
      const hash = hashOf(id);
      const [hashes, places] = await load("ids", Math.floor(hash * index.idFiles / 2 ** 32));
      await rowsOf(places.filter((_, at) => hashes[at] === hash));
    }
    return positions.get(id);
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
    const { state: wanted, unknown } = parse(location.hash, index);
    state = wanted;
    at("items").setAttribute("aria-busy", "true");
    if (state.item && (await positionOf(state.item)) === undefined) {
      unknown.push(`item “${state.item}”`);
      state.item = "";
    }
    if (mine !== round) return;
    tell(unknown.length ? `This address names what is not here: ${unknown.join(", ")}.` : "");
    fillControls();
    if (filtersOf(state) !== matchedFor) {
      matchedFor = searching = null;
      const found = await filtered();
      if (mine !== round) return;
      matchedFor = filtersOf(state);
      matches = found;
      if (state.q) await new Promise((resolve, reject) => search(found, resolve).then(resolve, reject));
      if (mine !== round) return;
    }
    if (state.item) await showItem(before, mine);
    else await showList(before, mine);
    if (mine === round) at("items").removeAttribute("aria-busy");
  }

  /** Positions of the items that match all filters but the search, in order. */
  async function filtered() {
    const names = columnsOf(index, state);
    const shown = state.view ? load(`view-${index.view.get(state.view).number}`, 0) : [];
    const shards = [...Array(Math.ceil(index.count / index.perColumn)).keys()];
    const now = state;
    const found = await Promise.all(shards.map(async (shard) => {
      const loaded = await Promise.all(names.map(async (name) => [name, await load(name, shard)]));
      return matching(index, now, shard, Object.fromEntries(loaded), await shown);
    }));
    return found.flat();
  }

  /**
   * Fills `matches` with those of `candidates` whose texts have all words. Calls `begun` when the first can be shown, and
   * shows further ones as they are found. The texts of many items are too many to be kept: their files are read again.
   */
  async function search(candidates, begun) {
    const [mine, firstRound] = [{ done: 0, of: candidates.length }, round];
    const words = terms(state.q);
    const files = [...new Set(candidates.map((position) => Math.floor(position / index.textsPerFile)))];
    let [last, hasBegun] = [performance.now(), false];
    searching = mine;
    matches = [];
    try {
      for (const [step, number] of files.entries()) {
        for (const next of files.slice(step, step + AHEAD)) load("text", next).catch(() => {});
        const text = await load("text", number);
        if (searching !== mine) return;
        const [start, end] = [number * index.textsPerFile, (number + 1) * index.textsPerFile];
        const lines = words.every((word) => text.includes(word)) ? text.split("\n") : null;
        for (; candidates[mine.done] < end; mine.done += 1) {
          const position = candidates[mine.done];
          if (lines && words.every((word) => lines[position - start].includes(word))) matches.push(position);
        }
        forget("text");
        if (performance.now() - last < SEARCH_SHOWN) continue;
        if (hasBegun) await refresh();
        else begun();
        hasBegun = true;
        last = performance.now();
      }
    } catch (error) {
      matchedFor = null;
      failed(error);
      throw error;
    }
    searching = null;
    if (hasBegun || round !== firstRound) await refresh();
  }

  /** Shows what a search has found by now. */
  async function refresh() {
    if (!state.item) await showList(state, round);
    else await showBar(round);
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
    at("group").append(...index.groups.flatMap((name, number) =>
      (name ? [option(name, `${name} (${index.inGroup[number].toLocaleString("en")})`)] : [])));
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
      make("a", { href: format({ view: view.name }) }, view.heading), ` (${view.count.toLocaleString("en")})`)));
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

  async function showList(before, mine) {
    const pages = Math.max(1, Math.ceil(matches.length / PER_PAGE));
    const wasItem = !at("item").hidden && before.item;
    let page = Math.min(pages, Number(state.page || 1));
    if (wasItem && !state.page) page = Math.floor(Math.max(0, matches.indexOf(positions.get(before.item))) / PER_PAGE) + 1;
    const start = (page - 1) * PER_PAGE;
    const shown = await rowsOf(matches.slice(start, start + PER_PAGE));
    if (mine !== round) return;
    at("item").hidden = true;
    at("item").replaceChildren();
    at("item").removeAttribute("aria-labelledby");
    at("browse").hidden = false;
    document.title = baseTitle;
    const all = index.count.toLocaleString("en");
    at("count").textContent = !isFiltered(state) ? `${all} ${index.count === 1 ? "item" : "items"}`
      : `${matches.length.toLocaleString("en")} of ${all} items match${soFar()}`;
    const view = index.view.get(state.view);
    at("view-text").hidden = !view;
    at("view-text").replaceChildren(...(view ? [make("h2", {}, view.heading), make("p", {}, view.text)] : []));
    at("matches").setAttribute("start", String(start + 1));
    const entries = JSON.stringify([location.hash, shown]);
    if (entries !== drawn) at("matches").replaceChildren(...shown.map(entry));
    drawn = entries;
    at("nothing").hidden = matches.length > 0 || searching !== null;
    for (const id of ["pages-above", "pages-below"]) showPages(at(id), page, pages);
    if (document.activeElement === at("q")) return; // somebody types
    if (wasItem) at("matches").querySelector(`[data-position="${positions.get(before.item)}"]`)?.focus();
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

  /** How far a search is that goes on. */
  const soFar = () => (searching ? ` so far; ${searching.done.toLocaleString("en")} of ${searching.of.toLocaleString("en")} searched`
    : "");

  function entry(row) {
    const images = row.thumbnails.map((file) =>
      make("img", { src: `pictures/${file}`, alt: "", loading: "lazy", decoding: "async", width: 72, height: 72 }));
    return make("li", {},
      make("a", { href: format({ ...state, page: "", item: row.id }), "data-position": String(row.position) },
        make("span", { class: "thumbnails" }, images),
        make("span", { class: "name", dir: "auto" }, row.title),
        make("span", { class: "group" }, make("bdi", {}, [row.group, row.id].filter(Boolean).join(" · ")))),
      make("div", { class: "tallies" }, index.sides.map((side) => tally(row, side))));
  }

  /** How many systems are right on a side: one sign a system, and the same in words; or what the chosen one is. */
  function tally(row, side) {
    const name = SIDE_NAMES[side];
    // A system that is met first in a later item has no letter.
    const codes = [...(row.codes[side] || "").padEnd(index.systems.length, "-")];
    if (state.system) {
      const code = codes[index.system.get(state.system)];
      return make("span", { class: "tally" }, name ? `${name}: ` : "", verdict(code));
    }
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
    const position = positions.get(state.item);
    const views = index.views.map((_, number) => load(`view-${number}`, 0));
    const [item, [row], bar, ...shownIn] = await Promise.all([loadItem(position), rowsOf([position]), itemBar(), ...views]);
    if (mine !== round) return;
    const article = at("item");
    const sameItem = !article.hidden && before.item === state.item;
    article.replaceChildren(bar, itemHeading(row, index.views.filter((_, number) => shownIn[number].includes(position))),
      ...itemView(item, { systems: index.systems, system: state.system, difference: state.difference === "shown",
        enlarge: openViewer, rememberDifference: (shown) => {
          state = { ...state, difference: shown ? "shown" : "" };
          history.replaceState(null, "", format(state));
          showBar(round).catch(failed);
        } }));
    article.setAttribute("aria-labelledby", "item-title");
    article.hidden = false;
    at("browse").hidden = true;
    document.title = `${row.title} – ${baseTitle}`;
    if (!sameItem) {
      scrollTo({ top: 0, behavior: "instant" });
      at("item-title").focus({ preventScroll: true });
    }
    for (const neighbour of neighbours().slice(1)) if (neighbour !== undefined) loadItem(neighbour).catch(failed);
  }

  /** The place of the item among the matches, -1 if it is none, and the positions of the matches before and after it. */
  function neighbours() {
    const position = positions.get(state.item);
    const place = matches.indexOf(position);
    return [place, ...(place >= 0 ? [matches[place - 1], matches[place + 1]]
      : [matches.findLast((other) => other < position), matches.find((other) => other > position)])];
  }

  async function showBar(mine) {
    const bar = await itemBar();
    if (mine === round) at("item").querySelector(".item-bar")?.replaceWith(bar);
  }

  async function itemBar() {
    const [place, ...beside] = neighbours();
    const ids = new Map((await rowsOf(beside.filter((one) => one !== undefined))).map((row) => [row.position, row.id]));
    const total = matches.length.toLocaleString("en");
    const link = (position, words, name) => (position === undefined
      ? make("span", { class: "button off", "aria-hidden": "true" }, words)
      : make("a", { class: `button ${name}`, href: format({ ...state, item: ids.get(position) }) }, words));
    return make("nav", { class: "item-bar", "aria-label": "Items" },
      make("a", { class: "button to-list", href: format({ ...state, item: "", difference: "" }) }, "Back to the list"),
      link(beside[0], "Previous", "previous"),
      make("span", { class: "place" }, place >= 0 ? `${(place + 1).toLocaleString("en")} of ${total}${soFar()}` : "not among the matches"),
      link(beside[1], "Next", "next"));
  }

  function itemHeading(row, views) {
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
      make("h2", { id: "item-title", tabindex: "-1", dir: "auto" }, row.title),
      make("p", { class: "about" },
        row.group ? make("span", {}, make("bdi", {}, row.group), " · ") : null, make("code", {}, state.item), " ",
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
    requestAnimationFrame(() => setTimeout(() => performance.mark("whatif-shown"))); // for bench/item_browser.py
  }

  early.forEach(receive);
  start().catch(failed);
})();
