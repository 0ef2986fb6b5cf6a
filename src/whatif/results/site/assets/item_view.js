"use strict";
// One item as elements of the page: pictures, questions side by side, and the answers of all systems.
(() => {
  const SIDE_NAMES = { original: "Original", counterfactual: "Counterfactual", "": "" };
  const CHANGED = { original: "del", counterfactual: "ins", "": "mark" };
  const VERDICTS = {
    r: ["right", "✓", "Right"],
    w: ["wrong", "✗", "Wrong"],
    n: ["none", "–", "No answer"],
    e: ["error", "!", "Error"],
    "-": ["unasked", "·", "Not asked"],
  };
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  const LONG = 60; // characters of an option that stands in the table in full
  const MANY = 4; // questions of an item: beyond that, cells of the table hold no reasons, which are in the details

  /** An element; `null` attributes are left out, children are elements or texts (never markup). */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "onclick") element.addEventListener("click", value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
  }

  /** A text whose pieces 1, 3, ... differ from its counterpart: these are `del` or `ins`, which readers can announce. */
  function changed(pieces, side) {
    return pieces.map((piece, place) => (place % 2 ? make(CHANGED[side], { class: "changed" }, piece) : piece));
  }

  const verdict = (code) => {
    const [name, sign, words] = VERDICTS[code];
    return make("span", { class: `verdict ${name}` }, make("span", { "aria-hidden": "true" }, sign), ` ${words}`);
  };

  function pictures(item, context) {
    if (!item.pictures) return null;
    const shown = item.pictures.map((picture) => ({
      ...picture,
      path: `pictures/${picture.file}`,
      name: SIDE_NAMES[picture.side],
      text: (picture.caption || []).join(""),
    }));
    const differences = (item.differences || []).map((file) => ({
      path: `differences/${file}`, side: "", name: "Difference map", difference: true,
      caption: ["Brighter where the two pictures differ more (amplified)."],
      text: "Brighter where the two pictures differ more (amplified).",
    }));
    const all = [...shown, ...differences];
    const figures = all.map((picture, place) => {
      const alternative = [picture.name, picture.text].filter(Boolean).join(": ") || "Picture of this item";
      const image = make("img", { src: picture.path, alt: alternative, width: picture.width || null,
        height: picture.height || null, decoding: "async" });
      return make("figure", { class: picture.difference ? "difference" : null },
        make("button", { type: "button", class: "enlarge", "aria-label": `Enlarge: ${alternative}`,
          onclick: (event) => context.enlarge(all, place, event.currentTarget) }, image),
        make("figcaption", { dir: "auto" },
          picture.name ? make("span", { class: "side-name" }, picture.name) : null,
          picture.name && picture.text ? " " : null, changed(picture.caption || [], picture.side)));
    });
    const section = make("section", { class: "pictures", "aria-label": "Pictures" }, make("div", { class: "figures" }, figures));
    if (differences.length) {
      const button = make("button", { type: "button", class: "toggle" }, "Show the difference map");
      const show = (visible) => {
        button.setAttribute("aria-pressed", String(visible));
        for (const figure of section.querySelectorAll(".difference")) figure.hidden = !visible;
      };
      button.addEventListener("click", () => {
        const visible = button.getAttribute("aria-pressed") !== "true";
        show(visible);
        context.rememberDifference(visible);
      });
      show(context.difference);
      section.append(button);
    }
    return section;
  }

  function options(asked) {
    const choices = (asked.choices || []).map((choice, place) => make("li", {},
      make("span", { class: "letter" }, `${LETTERS[place] || place + 1}.`), make("bdi", {}, choice),
      place === asked.rightChoice ? make("span", { class: "verdict right" }, "✓ right answer") : null));
    return [choices.length ? make("ol", { class: "choices" }, choices) : null,
      asked.right !== undefined && asked.rightChoice === undefined
        ? make("p", {}, "Right answer: ", make("bdi", { class: "right-answer" }, asked.right)) : null];
  }

  function question(asked, heading, withOptions) {
    return make("div", { class: "question" },
      asked.label ? make(heading, {}, make("bdi", {}, asked.label)) : null,
      asked.text ? make("p", { class: "asked", dir: "auto" }, changed(asked.text, asked.side || "")) : null,
      withOptions ? options(asked) : null);
  }

  /** The questions of a side; options that they all share are shown once, below them. */
  function questionsOf(found, heading) {
    const key = (one) => JSON.stringify([one.choices, one.right]);
    const shared = found.length > 1 && found[0].choices && found.every((one) => key(one) === key(found[0]));
    return [...found.map((one) => question(one, heading, !shared)), shared ? make("div", { class: "shared" },
      make(heading, {}, "Options of all these questions"), options(found[0])) : null];
  }

  function questions(item) {
    const asked = item.questions || [];
    if (!asked.length) return null;
    const sides = Object.keys(SIDE_NAMES).map((side) => [side, asked.filter((one) => (one.side || "") === side)])
      .filter(([, found]) => found.length);
    const both = sides.length > 1;
    return make("section", { class: "questions", "aria-label": "Questions" },
      sides.map(([side, found]) => make("div", { class: both || side ? "side" : "side beside" },
        side || both ? make("h3", {}, SIDE_NAMES[side] || "Further questions") : null,
        questionsOf(found, side || both ? "h4" : "h3"))));
  }

  /** The heading of a question's column: its side, its label, and a number where these do not tell it apart. */
  function columnNames(asked) {
    const names = asked.map((one) => [SIDE_NAMES[one.side || ""], one.label].filter(Boolean).join(": "));
    return names.map((name, place) => {
      if (names.filter((other) => other === name).length === 1) return name || "Answer";
      return `${name || "Question"} ${names.slice(0, place + 1).filter((other) => other === name).length}`;
    });
  }

  /** The place of the option that an answer names by its letter, its words, or both (`two (B)`); -1 for other answers. */
  function chosen(answer, choices) {
    const letter = answer.length === 1 ? answer : (/^[^]* \(([A-Z])\)$/.exec(answer) || [])[1];
    const place = letter ? LETTERS.indexOf(letter) : -1;
    if (place >= 0 && place < choices.length && (answer === letter || answer === `${choices[place]} (${letter})`)) return place;
    return choices.indexOf(answer);
  }

  /** The answer as shown: an option by its words and its letter; long ones, and those of many questions, by the letter. */
  function answerText(answer, asked, many) {
    if (answer.answer === undefined) return null;
    const choices = asked.choices || [];
    const place = chosen(answer.answer, choices);
    if (place < 0) return make("bdi", { class: "answer" }, answer.answer);
    if (many || choices[place].length > LONG) return make("span", { class: "answer", title: choices[place] }, LETTERS[place]);
    return make("bdi", { class: "answer" }, `${choices[place]} (${LETTERS[place]})`);
  }

  function cell(answer, asked, name, many) {
    if (!answer) return make("td", { role: "cell", "data-label": name }, verdict("-"));
    return make("td", { role: "cell", "data-label": name },
      make("div", { class: "said" }, verdict(answer.code), " ", answerText(answer, asked, many)),
      answer.why && !many ? make("div", { class: "why", dir: "auto" }, answer.why) : null);
  }

  const list = (heading, texts) => (texts ? [make("h5", {}, heading),
    make("ol", { class: "texts" }, texts.map((text) => make("li", { dir: "auto" }, text)))] : []);

  function details(answer, many) {
    const program = answer.program;
    const parts = [
      ...(many && answer.why ? [make("p", { class: "why", dir: "auto" }, answer.why)] : []),
      ...list("Earlier turns", answer.turns),
      ...(answer.reasoning !== undefined ? [make("details", { class: "reasoning" }, make("summary", {}, "Reasoning"),
        make("div", { class: "response", dir: "auto" }, answer.reasoning))] : []),
      ...(answer.response !== undefined ? [make("h5", {}, answer.turns ? "Last response" : "Response"),
        make("div", { class: "response", dir: "auto" }, answer.response)] : []),
      ...list("Samples, of which the majority counts", answer.samples),
    ];
    if (program) {
      parts.push(make("h5", {}, "Program"), program.category ? make("p", {}, `Why it is wrong: ${program.category}`) : null,
        make("pre", { tabindex: "0", "aria-label": "Program" }, make("code", {}, program.code || "")),
        ...list("Calls of its tools", program.calls));
    }
    return parts;
  }

  const sum = (answers, field) => {
    const values = answers.map((answer) => answer && answer[field]).filter((value) => value !== undefined && value !== null);
    return values.length ? values.reduce((total, value) => total + value, 0) : null;
  };
  const number = (value) => {
    if (value === null) return "–";
    return value.toLocaleString("en", Number.isInteger(value) ? {} : { maximumSignificantDigits: 4 });
  };

  function answers(item, context) {
    const asked = item.questions || [];
    const systems = context.systems.map((name, place) => ({
      name, answers: asked.map((one) => (one.answers || []).find((answer) => answer.system === place)),
    })).filter((system) => system.answers.some(Boolean));
    if (!asked.length) return null;
    if (!systems.length) return make("p", {}, "No model was asked about this item.");
    const names = columnNames(asked);
    const many = asked.length > MANY;
    const totals = [["Prompt tokens", "prompt_tokens"], ["Response tokens", "response_tokens"], ["Cost", "cost"]]
      .filter(([, field]) => systems.some((system) => sum(system.answers, field) !== null));
    const header = ["Model", ...names, ...totals.map(([name]) => name)];
    const rows = systems.flatMap((system, row) => {
      const shown = system.answers.map((answer, place) => [names[place], answer ? details(answer, many) : []])
        .filter(([, parts]) => parts.length);
      const id = `details-${row}`;
      const button = shown.length ? make("button", { type: "button", class: "expand", "aria-expanded": "false",
        "aria-controls": id, "aria-label": `Details: ${system.name}` }, "Details") : null;
      const detail = shown.length ? make("tr", { role: "row", class: "detail", id, hidden: true },
        make("td", { role: "cell", colspan: header.length }, make("div", { class: "beside" }, shown.map(([name, parts]) =>
          make("div", {}, make("h4", {}, make("bdi", {}, name)), parts))))) : null;
      if (button) {
        button.addEventListener("click", () => {
          detail.hidden = !detail.hidden;
          button.setAttribute("aria-expanded", String(!detail.hidden));
        });
      }
      return [
        make("tr", { role: "row", class: system.name === context.system ? "chosen" : null },
          make("th", { role: "rowheader", scope: "row" }, make("bdi", {}, system.name), button ? " " : null, button),
          system.answers.map((answer, place) => cell(answer, asked[place], names[place], many)),
          totals.map(([name, field]) => make("td", { role: "cell", class: "number", "data-label": name },
            number(sum(system.answers, field))))),
        detail,
      ];
    });
    const table = make("table", { role: "table", class: many ? "answers many" : "answers", "aria-label": "Answers of all systems" },
      make("thead", { role: "rowgroup" }, make("tr", { role: "row" },
        header.map((name, place) => make("th", { role: "columnheader", scope: "col",
          class: place > names.length ? "number" : null }, make("bdi", {}, name))))),
      make("tbody", { role: "rowgroup" }, rows));
    const buttons = [...table.querySelectorAll(".expand")];
    const toggleAll = buttons.length > 1 ? make("button", { type: "button", onclick: () => {
      const open = buttons.some((button) => button.getAttribute("aria-expanded") === "false");
      for (const button of buttons) if ((button.getAttribute("aria-expanded") === "false") === open) button.click();
    } }, "Show or hide all details") : null;
    return make("section", { class: "all-answers", "aria-label": "Answers" }, make("h3", {}, "Answers"), toggleAll,
      make("div", { class: "answers-scroll", role: "region", tabindex: "0", "aria-label": "Table of answers" }, table));
  }

  /** The elements of an item, except its heading. */
  function itemView(item, context) {
    return [
      ...(item.notes || []).map((note) => make("p", { class: "item-note", dir: "auto" }, note)),
      pictures(item, context), questions(item), answers(item, context),
    ].filter(Boolean);
  }

  self.whatif = { ...self.whatif, SIDE_NAMES, VERDICTS, itemView, make, verdict };
})();
