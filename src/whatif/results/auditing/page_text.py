"""The template and style of the audit's page."""

from __future__ import annotations

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shortcut audit of {{ name }}</title>
<link rel="icon" href="data:,">
<style>{{ style }}</style>
</head>
<body>
<main>
<h1>Shortcut audit of <bdi>{{ name }}</bdi></h1>
<p class="verdict">{{ verdict }}</p>
<p>The audit answers the questions from their text alone. A model's accuracy up to that of the best rule is no evidence
that it looks at the images. {{ luck }}</p>
<h2>What was read</h2>
<p>{{ source }}: {{ counts }}.</p>
<p>Taken as: {% for part in columns.split("`") -%}
{% if loop.index0 % 2 %}<code>{{ part }}</code>{% else %}{{ part }}{% endif %}
{%- endfor %}.</p>
{% if notes %}
<ul>
{% for note in notes %}
<li>{{ note }}</li>
{% endfor %}
</ul>
{% endif %}
{% for section in sections %}
<h2>{{ section.title }}</h2>
<p class="note">{{ section.size }}</p>
<figure>
<figcaption>Correct answers in percent with {{ confidence }}% intervals. The dashed line is chance.</figcaption>
<div class="axis" aria-hidden="true"><span></span>
<span class="scale"><span>0</span><span>50</span><span>100</span></span><span></span></div>
{% for rule in section.rules %}
<div class="rule{% if rule.above %} above{% endif %}">
<span class="name">{{ rule.name }}</span>
<svg viewBox="0 0 100 14" preserveAspectRatio="none" role="img" aria-label="{{ rule.label }}">
<line class="grid" x1="0" y1="7" x2="100" y2="7"/>
<line class="interval" x1="{{ rule.low }}" y1="7" x2="{{ rule.high }}" y2="7"/>
<line class="estimate" x1="{{ rule.value }}" y1="2" x2="{{ rule.value }}" y2="12"/>
<line class="chance" x1="{{ rule.chance }}" y1="0" x2="{{ rule.chance }}" y2="14"/>
</svg>
<span class="number">{{ rule.text }}{% if rule.above %} <b>above chance</b>{% endif %}<br>
<small>n = {{ rule.n }}, chance {{ rule.chance }}%</small></span>
</div>
{% endfor %}
</figure>
<h3>Most guessable</h3>
<ol>
{% for item in section.guessable %}
<li><p><b><bdi>{{ item.id }}</bdi></b> <span class="note">guessable {{ item.guessable }}</span><br>
<bdi>{{ item.question }}</bdi></p>
{% if item.options %}<p class="options">
{% for option in item.options %}
<bdi{% if option.right %} class="right"{% endif %}>{{ option.text }}{% if option.right %} ✓{% endif %}</bdi>
{% endfor %}
</p>
{% else %}<p class="options">Answer: <bdi class="right">{{ item.answer }}</bdi></p>
{% endif %}<p class="note">{{ item.why }}</p></li>
{% endfor %}
</ol>
{% endfor %}
{% if pruning %}
<h2>Pruning</h2>
{% for line in pruning.lines %}
<p>{{ line }}</p>
{% endfor %}
<div class="scroll" tabindex="0" role="region" aria-label="Accuracy before and after pruning">
<table>
<thead><tr><th scope="col">Questions</th><th scope="col">Rule</th>
<th scope="col">Before</th><th scope="col">After</th><th scope="col">Fresh audit</th></tr></thead>
<tbody>
{% for row in pruning.rows %}
<tr><td>{{ row.section }}</td><td>{{ row.rule }}</td>
<td>{{ row.before }}</td><td>{{ row.after }}</td><td>{{ row.fresh }}</td></tr>
{% endfor %}
</tbody>
</table>
</div>
{% endif %}
<h2>How to read this</h2>
<p>{{ method }}</p>
<p>“Guessable” is the mean probability that the cross-validated models give to the right answer.</p>
</main>
</body>
</html>
"""

STYLE = """
:root { --bg: #fbfbf9; --fg: #1c2228; --muted: #57626c; --line: #d9dddc; --mark: #1b5c9a; --above: #a52e1c;
  --right: #17693a; color-scheme: light; }
@media (prefers-color-scheme: dark) { :root { --bg: #13171b; --fg: #e3e7ea; --muted: #a3adb6; --line: #3f484f;
  --mark: #84bdf0; --above: #f29a8a; --right: #7fd09a; color-scheme: dark; } }
* { box-sizing: border-box; }
body { background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  margin: 0; overflow-wrap: anywhere; }
main { margin: 0 auto; max-width: 60rem; padding: 1.25rem 1rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 2rem 0 .25rem; } h3 { font-size: 1rem; }
p { margin: .4rem 0; } figure { margin: .5rem 0 1rem; } figcaption, .note { color: var(--muted); font-size: .9rem; }
.verdict { font-size: 1.1rem; font-weight: 600; }
.rule, .axis { align-items: center; border-top: 1px solid var(--line); display: grid; gap: 0 .75rem;
  grid-template-columns: 14rem minmax(6rem, 1fr) 13rem; padding: .3rem 0; }
.axis { border: 0; color: var(--muted); font-size: .8rem; padding: 0; }
.scale { display: flex; justify-content: space-between; }
.rule svg { display: block; height: 1.4rem; overflow: visible; width: 100%; }
.number { font-variant-numeric: tabular-nums; }
small { color: var(--muted); }
line { vector-effect: non-scaling-stroke; }
.grid { stroke: var(--line); stroke-width: 1; }
.interval { stroke: var(--mark); stroke-width: 3; }
.estimate { stroke: var(--mark); stroke-width: 4; }
.above .interval, .above .estimate { stroke: var(--above); }
.above b { color: var(--above); }
.chance { stroke: var(--fg); stroke-dasharray: 3 2; stroke-width: 1.5; }
.options bdi { border: 1px solid var(--line); border-radius: .25rem; display: inline-block; margin: .1rem .2rem .1rem 0;
  max-width: 100%; padding: 0 .4rem; }
.options .right { border-color: var(--right); color: var(--right); font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
@media (max-width: 44rem) { .rule { grid-template-columns: 1fr; } .axis { grid-template-columns: 1fr; }
  .axis > span:empty { display: none; } }
"""
