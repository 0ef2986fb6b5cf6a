"use strict";
// The state of the item browser as part of an address, and which items match it. Nothing here touches the page.
(() => {
  const KEYS = ["q", "group", "view", "system", "original", "counterfactual", "answers", "other", "all", "page", "item",
    "difference"];
  const FILTERS = KEYS.slice(0, 9);
  // The key of the state, by side, that says which answers of the system are wanted.
  const SIDE_KEYS = { original: "original", counterfactual: "counterfactual", "": "answers" };
  // Codes of answers, as data/index.js has them, by status.
  const STATUSES = { right: "r", "not-right": "wne", wrong: "w", none: "n", error: "e", "not-asked": "-" };
  const OVER_ALL = ["all", "none", "some"];
  const RIGHT = "r".charCodeAt(0);
  const NOT_ASKED = "-".charCodeAt(0);

  const lines = (text, count) => (count ? text.split("\n") : []);

  /** The columns of data/index.js, with what is looked up by name. */
  function prepare(data) {
    const index = { ...data };
    for (const column of ["ids", "titles", "thumbnails"]) index[column] = lines(data[column], data.count);
    index.position = new Map(index.ids.map((id, position) => [id, position]));
    index.system = new Map(data.systems.map((name, number) => [name, number]));
    index.group = new Map(data.groups.map((name, number) => [name, number]));
    index.view = new Map(data.views.map((view) => [view.name, view]));
    return index;
  }

  /** The state in a hash such as `#system=a&original=right`; names that are not in the index are left out and told. */
  function parse(hash, index) {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const state = {};
    const unknown = [];
    const known = {
      group: (value) => index.group.has(value),
      view: (value) => index.view.has(value),
      system: (value) => index.system.has(value),
      other: (value) => index.system.has(value),
      original: (value) => value in STATUSES,
      counterfactual: (value) => value in STATUSES,
      answers: (value) => value in STATUSES,
      all: (value) => OVER_ALL.includes(value),
      item: (value) => index.position.has(value),
      page: (value) => /^[1-9]\d{0,8}$/.test(value),
      difference: (value) => value === "shown",
    };
    for (const key of KEYS) {
      const value = given.get(key) || "";
      const accepted = !value || !known[key] || known[key](value);
      // A group may have an empty name, which is the same as any group.
      state[key] = accepted ? value : "";
      if (!accepted) unknown.push(`${key} “${value}”`);
    }
    return { state, unknown };
  }

  /** The hash of a state, always the same for the same state. */
  function format(state) {
    const set = new URLSearchParams();
    for (const key of KEYS) if (state[key] && !(key === "page" && state[key] === "1")) set.set(key, state[key]);
    return `#${set}`;
  }

  const filtersOf = (state) => JSON.stringify(FILTERS.map((key) => state[key]));
  const isFiltered = (state) => FILTERS.some((key) => state[key]);

  /** Lower case without accents, with single spaces: what `normalised` in item_index.py does to the texts. */
  function normalised(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
  }

  /** The words and "quoted phrases" that a text must contain. */
  function terms(query) {
    return [...normalised(query).matchAll(/"([^"]*)"?|[^\s"]+/g)].map((match) => (match[1] ?? match[0]).trim()).filter(Boolean);
  }

  const accepts = (status) => {
    const table = new Uint8Array(128);
    for (const code of STATUSES[status]) table[code.charCodeAt(0)] = 1;
    return table;
  };
  const codeAt = (column, position) => (column ? column.charCodeAt(position) : NOT_ASKED);

  /** Tests of one item by position; an item matches if all of them hold. `texts` is needed where `q` is set. */
  function tests(index, state, texts) {
    const found = [];
    if (state.group) {
      const group = index.group.get(state.group);
      found.push((position) => index.groupOf[position] === group);
    }
    const wanted = index.sides.flatMap((side, place) => {
      const status = state[SIDE_KEYS[side]];
      return status ? [[place, accepts(status)]] : [];
    });
    const systems = state.system ? [index.system.get(state.system)] : index.systems.map((_, number) => number);
    if (wanted.length) {
      found.push((position) => systems.some((system) =>
        wanted.every(([place, accepted]) => accepted[codeAt(index.codes[system][place], position)])));
    }
    if (state.system && state.other) {
      const [first, second] = [state.system, state.other].map((name) => index.codes[index.system.get(name)]);
      found.push((position) => index.sides.some((_, place) => {
        const [one, two] = [codeAt(first[place], position), codeAt(second[place], position)];
        return one !== NOT_ASKED && two !== NOT_ASKED && (one === RIGHT) !== (two === RIGHT);
      }));
    }
    if (state.all) found.push((position) => overAll(index, position) === state.all);
    for (const term of state.q ? terms(state.q) : []) found.push((position) => texts[position].includes(term));
    return found;
  }

  /** Whether `all` systems, `none` or `some` are right on every question of an item; empty if none was asked. */
  function overAll(index, position) {
    let [asked, right] = [0, 0];
    for (const columns of index.codes) {
      let [answered, correct] = [0, 0];
      for (const column of columns) {
        const code = codeAt(column, position);
        if (code !== NOT_ASKED) answered += 1;
        if (code === RIGHT) correct += 1;
      }
      if (answered) asked += 1;
      if (answered && answered === correct) right += 1;
    }
    if (!asked) return "";
    return right === 0 ? "none" : right === asked ? "all" : "some";
  }

  /** Positions of the items that match, in order. */
  function matching(index, state, texts) {
    const all = tests(index, state, texts);
    const matches = [];
    const test = (position) => {
      for (const holds of all) if (!holds(position)) return;
      matches.push(position);
    };
    if (state.view) index.view.get(state.view).items.forEach(test);
    else for (let position = 0; position < index.count; position += 1) test(position);
    return matches;
  }

  self.whatif = { ...self.whatif, FILTERS, SIDE_KEYS, STATUSES, codeAt, filtersOf, format, isFiltered, matching, parse,
    prepare, lines, terms };
})();
