"use strict";
// The state of the item browser as part of an address, and which items match it. Nothing here touches the page.
(() => {
  const KEYS = ["q", "group", "view", "system", "original", "counterfactual", "answers", "other", "all", "page", "item",
    "difference"];
  const FILTERS = KEYS.slice(0, 9);
  // The key of the state, by side, that says which answers of the system are wanted.
  const SIDE_KEYS = { original: "original", counterfactual: "counterfactual", "": "answers" };
  // Codes of answers, as item_index.py has them, by status.
  const STATUSES = { right: "r", "not-right": "wne", wrong: "w", none: "n", error: "e", "not-asked": "-" };
  const OVER_ALL = { all: "a", none: "n", some: "s" }; // as `over_all` in item_index.py
  const RIGHT = "r".charCodeAt(0);
  const NOT_ASKED = "-".charCodeAt(0);

  const encoder = new TextEncoder();

  /** What data/index.js says of all items, with what is looked up by name. */
  function prepare(data) {
    const index = { ...data };
    index.system = new Map(data.systems.map((name, number) => [name, number]));
    index.group = new Map(data.groups.map((name, number) => [name, number]));
    index.view = new Map(data.views.map((view, number) => [view.name, { ...view, number }]));
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
      all: (value) => value in OVER_ALL,
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

  const sidesWanted = (state) => Object.entries(SIDE_KEYS).filter(([, key]) => state[key]);
  /** The numbers of the systems of which one must have the wanted answers. */
  const systemsOf = (index, state) => (state.system ? [index.system.get(state.system)] : [...index.systems.keys()]);

  /** The columns that the filters of a state read (see item_index.py); each has one file for each shard. */
  function columnsOf(index, state) {
    const systems = sidesWanted(state).length ? systemsOf(index, state) : [];
    if (state.system && state.other) systems.push(index.system.get(state.system), index.system.get(state.other));
    return [...(state.group ? ["group"] : []), ...(state.all ? ["all"] : []),
      ...new Set(systems.map((system) => `codes-${system}`))];
  }

  /**
   * Positions of the items of a shard that match all filters but the search, in order. `columns` has the data of
   * `columnsOf` by name; `inView` has the positions of the view's items, if one is chosen.
   */
  function matching(index, state, shard, columns, inView) {
    const start = shard * index.perColumn;
    const count = Math.min(index.perColumn, index.count - start);
    const keep = new Uint8Array(count).fill(1);
    const codes = (system, side) => {
      const text = columns[`codes-${system}`][side];
      return text ? encoder.encode(text) : new Uint8Array(count).fill(NOT_ASKED);
    };
    const only = (kept) => {
      for (let place = 0; place < count; place += 1) keep[place] &= kept[place];
    };
    if (state.view) {
      const shown = new Uint8Array(count);
      for (const position of inView) if (position >= start && position < start + count) shown[position - start] = 1;
      only(shown);
    }
    if (state.group) {
      const group = index.group.get(state.group);
      for (let place = 0; place < count; place += 1) if (columns.group[place] !== group) keep[place] = 0;
    }
    if (state.all) {
      const wanted = OVER_ALL[state.all].charCodeAt(0);
      only(encoder.encode(columns.all).map((code) => code === wanted));
    }
    const wanted = sidesWanted(state);
    if (wanted.length) {
      const any = new Uint8Array(count);
      for (const system of systemsOf(index, state)) {
        const every = new Uint8Array(count).fill(1);
        for (const [side, key] of wanted) {
          const [accepted, given] = [accepts(state[key]), codes(system, side)];
          for (let place = 0; place < count; place += 1) every[place] &= accepted[given[place]];
        }
        for (let place = 0; place < count; place += 1) any[place] |= every[place];
      }
      only(any);
    }
    if (state.system && state.other) {
      const any = new Uint8Array(count);
      for (const side of index.sides) {
        const [one, two] = [state.system, state.other].map((name) => codes(index.system.get(name), side));
        for (let place = 0; place < count; place += 1) {
          if (one[place] !== NOT_ASKED && two[place] !== NOT_ASKED) any[place] |= (one[place] === RIGHT) !== (two[place] === RIGHT);
        }
      }
      only(any);
    }
    const found = [];
    for (let place = 0; place < count; place += 1) if (keep[place]) found.push(start + place);
    return found;
  }

  /** The number that `ids` shards are ordered by: the CRC-32 of an id. */
  function hashOf(id) {
    let crc = ~0;
    for (const byte of encoder.encode(id)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc >>> 0;
  }

  self.whatif = { ...self.whatif, FILTERS, SIDE_KEYS, columnsOf, filtersOf, format, hashOf, isFiltered, matching, parse,
    prepare, terms };
})();
