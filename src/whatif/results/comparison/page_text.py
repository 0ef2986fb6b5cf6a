"""The content and the style of a page of flipped items, in the frame of the site; every text of an item is escaped."""

from __future__ import annotations

FOOT = "Built by whatif diff from the results of both sides."

BODY = """<h1>{{ title }}</h1>
<dl class="sides"><dt>A</dt><dd>{{ a }}</dd><dt>B</dt><dd>{{ b }}</dd></dl>
{% if total %}
<p class="note">Items {{ first }} to {{ last }} of {{ total }} whose answer is right on one side only.</p>
{% else %}
<p class="note">No answer is right on one side only.</p>
{% endif %}
{% macro pager(label) %}{% if pages > 1 %}<nav class="pager" aria-label="{{ label }}">
{% if before %}<a rel="prev" href="{{ before }}">Previous page</a>{% endif %}
<span>Page {{ page }} of {{ pages }}</span>
{% if after %}<a rel="next" href="{{ after }}">Next page</a>{% endif %}
</nav>{% endif %}{% endmacro %}
{{ pager("Pages") }}
{% for flip in flips %}
<article class="flip" id="item-{{ loop.index }}">
<h2>{{ flip.item }}: <span class="{{ 'wrong' if flip.lost else 'right' }}">{{ flip.direction }}</span></h2>
<p class="note">{{ flip.of }}</p>
{% if flip.pictures %}<div class="pictures">
{% for picture in flip.pictures %}
<img src="{{ picture }}" alt="Picture {{ loop.index }} of {{ flip.item }}" loading="lazy">
{% endfor %}</div>{% endif %}
{% if flip.question %}<p>{{ flip.question }}</p>{% endif %}
{% if flip.choices %}<ul class="choices">
{% for choice in flip.choices %}<li>{{ choice }}</li>{% endfor %}</ul>{% endif %}
{% if flip.right %}<dl>
<dt>Right answer</dt><dd>{{ flip.right }}</dd>
<dt>A</dt><dd class="{{ 'right' if flip.lost else 'wrong' }}">{{ flip.answer_a }}</dd>
<dt>B</dt><dd class="{{ 'wrong' if flip.lost else 'right' }}">{{ flip.answer_b }}</dd>
</dl>{% endif %}
</article>
{% endfor %}
{{ pager("Pages, at the end") }}
"""

STYLE = """.flip { border-top: 1px solid var(--line); padding: 1rem 0; break-inside: avoid; overflow-wrap: anywhere; }
.flip h2 { font-size: 1.05rem; }
.flip .right { color: var(--right); }
.flip .wrong { color: var(--wrong); }
.flip .pictures { display: flex; flex-wrap: wrap; gap: .5rem; }
.flip .pictures img { max-width: min(100%, 16rem); height: auto; background: #ffffff; }
.flip .choices { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.2rem; padding: 0; color: var(--muted); }
.flip dl, .sides { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 1rem; margin: .5rem 0; }
.flip dt, .sides dt { color: var(--muted); }
.flip dd, .sides dd { margin: 0; overflow-wrap: anywhere; }
.pager { display: flex; flex-wrap: wrap; gap: 1rem; padding: .5rem 0; }
"""
