import { Tokenizer } from 'liquidjs'
import t from 'tap'
import { TemplateFailure } from '#features/site/theme/template-failure.ts'
import { Theme } from '#features/site/theme/theme.ts'
import { makeSite } from '#support/sites.ts'

const doubled = (start: string, times: number) =>
  `{% assign s = "${start}" %}{% for i in (1..${times}) %}{% assign s = s | append: s %}{% endfor %}`
/** Templates that have ended a process, or would not end, by what is said of them. */
const BOMBS: Readonly<Record<string, readonly [template: string, words: RegExp]>> = {
  range: ['{% for i in (1..2000000000) %}x{% endfor %}', /over (?:2|16) million items/],
  'range in a filter': ['{{ (1..2000000000) | join }}', /over (?:2|16) million items/],
  'loops in loops': ['{% for i in (1..999) %}{% for j in (1..999) %}x{% endfor %}{% endfor %}', /go round over 100,000 times/],
  'table in a loop': [
    '{% for i in (1..999) %}{% tablerow j in (1..999) %}x{% endtablerow %}{% endfor %}',
    /go round over 100,000/,
  ],
  'partial in a loop': ['{% for i in (1..200000) %}{% render "part" %}{% endfor %}', /go round over 100,000 times/],
  'partial for each': ['{% assign a = (1..200000) %}{% render "part" for a as b %}', /go round over 100,000 times/],
  append: [doubled('aaaaaaaaaa', 60), /over (?:2|16) million items/],
  capture: [
    '{% assign s = "aaaa" %}{% for i in (1..60) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}',
    /over (?:2|16) million/,
  ],
  split: [`${doubled('aaaaaaaaaa', 20)}{{ s | split: "" | size }}`, /over (?:2|16) million items/],
  replace: [
    '{% assign s = "aa" %}{% for i in (1..30) %}{% assign s = s | replace: "a", s %}{% endfor %}',
    /over (?:2|16) million items/,
  ],
  concat: [
    '{% assign a = (1..10) %}{% for i in (1..60) %}{% assign a = a | concat: a %}{% endfor %}',
    /a list of over 50,000 items/,
  ],
  slice: [`${doubled('a', 12)}{{ s | slice: 0, 2000000000 }}`, /over (?:2|16) million items/],
  'wide date': ['{{ "2026-01-01" | date: "%2000000000d" }}', /over (?:2|16) million items/],
  'a list in one step': ['{{ (1..50001) | sort | size }}', /a filter is given a list of over 50,000 items/],
  'a range in one step': ['{% for i in (1..2100000) %}{% break %}{% endfor %}', /holds over 2 million items/],
  'a text in one step': [
    `${doubled('aaaaaaaaaaa', 16)}{{ s | append: s | append: s | append: s | upcase }}`,
    /holds over 2 million items/,
  ],
  output: [`${doubled('aaaaaaaaaa', 16)}{% for i in (1..90000) %}{{ s | raw }}{% endfor %}`, /page of over 32 MiB/],
  'format of a date': [`${doubled('%c', 12)}{{ "2026-01-01" | date: s | size }}`, /format of a date is over 1,000 characters/],
  'format of a date in a list': [
    `${doubled('%c', 12)}{% assign f = s | split: "-" %}{{ "2026-01-01" | date: f | size }}`,
    /format of a date is over 1,000 characters/,
  ],
  'json of json': [
    `{% assign s = '"' %}{% for i in (1..60) %}{% assign s = s | json %}{% endfor %}`,
    /over (?:2|16) million items/,
  ],
  words: [`${doubled('a ', 18)}{{ s | truncatewords: 9999999 }}`, /after over 50,000 words/],
  sample: [`${doubled('a', 20)}{{ s | sample: 2 | size }}`, /a list of over 50,000 items/],
  comments: ['{% comment %}'.repeat(50_000), /it has over 5,000 tags/],
  'comments that are closed': [`${'{% comment %}'.repeat(25_000)}${'{% endcomment %}'.repeat(25_000)}`, /it has over 5,000 tags/],
  outputs: ['{{ a }}'.repeat(50_000), /it has over 5,000 tags/],
  'lines of a tag': [`{% liquid\n${'echo a\n'.repeat(6_000)}%}`, /it has over 5,000 tags/],
  'a long tag': [`{% if ${'a or '.repeat(20_000)}a %}{% endif %}`, /it has over 64 KiB in tags/],
  'a long output': [`{{ "}}${'a'.repeat(70_000)}" }}`, /it has over 64 KiB in tags/],
  'a long quote with backslashes': [`{{ '\\'}}${'a'.repeat(70_000)}' }}`, /it has over 64 KiB in tags/],
  'a long text': ['a'.repeat(1024 * 1024), /it has over 1 MiB/],
  'in itself': ['{% render "own" %}', /a part of itself/],
  'included in itself': ['{% include "again" %}', /a part of itself/],
  'a layout of itself': ['{% layout "round" %}x', /a part of itself/],
}

const PLACE = {
  ...{ origin: 'https://example.org', base: '', markdown: (text: string) => text },
  ...{ now: 0, pageAt: () => undefined, fileHref: () => undefined },
}

t.test('a template that would not end, or would take all memory, is refused with its file and line', async (t) => {
  const templates = Object.entries(BOMBS).map(([name, [text]]) => [`${name.replaceAll(' ', '-')}.liquid`, `\n${text}`])
  const site = makeSite({
    ...Object.fromEntries(templates),
    ...{ 'part.liquid': 'x', 'own.liquid': '{% render "own" %}', 'again.liquid': '{% include "again" %}' },
    'round.liquid': '{% layout "round" %}{% block a %}{% endblock %}',
    'long.liquid': '{% for i in (1..30000) %}{% if i > 1 %}{{ i }},{% endif %}{% endfor %}',
  })
  t.teardown(site.remove)
  const theme = new Theme({ folders: [site.root], root: site.root, locale: 'en', timezone: 'UTC', excerpt: (text) => text })
  for (const [name, [, words]] of Object.entries(BOMBS)) {
    try {
      await theme.render(name.replaceAll(' ', '-'), {}, PLACE)
      t.fail(`${name} is rendered`)
    } catch (error) {
      t.ok(error instanceof TemplateFailure, name)
      t.match(error, { message: words, file: /\.liquid$/ }, name)
    }
  }
  t.match(await theme.render('long', {}, PLACE), /^2,3,.*,30000,$/, 'a long list is made')
  const large = `${'{{ a }}{% if b %}"{% endif %}'.repeat(1600)}${'{ % }'.repeat(100_000)}`
  const other = makeSite({
    'large.liquid': large,
    'part.liquid': '\n\n{{ a }}'.repeat(5_001),
    'uses.liquid': '{% render "part" %}',
  })
  t.teardown(other.remove)
  const larger = new Theme({ folders: [other.root], root: other.root, locale: 'en', timezone: 'UTC', excerpt: (text) => text })
  t.equal((await larger.render('large', {}, PLACE)).length, 500_000, 'a large template is rendered')
  const refused = { message: /it has over 5,000 tags/, file: /part\.liquid$/, line: 10_003, column: 1 }
  await t.rejects(larger.render('uses', {}, PLACE), refused, 'the part that is too large is named')
  t.strictSame(
    larger.faults([]).map(({ line }) => line),
    [10_003],
  )
})

t.test('text is cut after as many words as without a bound', async (t) => {
  const site = makeSite({ 'cut.liquid': '{{ text | truncatewords: words, "…" }}' })
  t.teardown(site.remove)
  const theme = new Theme({ folders: [site.root], root: site.root, locale: 'en', timezone: 'UTC', excerpt: (text) => text })
  const cut = (text: string, words: unknown) => theme.render('cut', { text, words }, PLACE)
  const kept = (text: string, words: number) => {
    const all = text.trimStart().split(/\s+/)
    return all.slice(0, Math.max(words, 1)).join(' ') + (all.length >= Math.max(words, 1) ? '…' : '')
  }
  for (const text of ['', ' ', 'a', ' a\n b', 'a b c', 'a  b\u00a0c ', ' a b c d e f g ']) {
    for (const words of [-1, 0, 1, 2, 3, 4, 5, 100]) t.equal(await cut(text, words), kept(text, words), `${words} of ${text}`)
  }
  t.equal(await cut('a b c', '2'), 'a b…')
  t.equal((await cut('a '.repeat(800_000), 3)).length, 6, 'a long text, too')
})

t.test('a template that can’t be parsed is parsed once', async (t) => {
  const site = makeSite({ 'broken.liquid': '{% if a %}', 'uses.liquid': '{% render "broken" %}' })
  t.teardown(site.remove)
  const theme = new Theme({ folders: [site.root], root: site.root, locale: 'en', timezone: 'UTC', excerpt: (text) => text })
  const refused = { message: /not closed/, file: 'broken.liquid', line: 1 }
  await t.rejects(theme.render('uses', {}, PLACE), refused)
  const parses = t.capture(Tokenizer.prototype, 'readTopLevelTokens', Tokenizer.prototype.readTopLevelTokens)
  await t.rejects(theme.render('uses', {}, PLACE), refused)
  await t.rejects(theme.render('broken', {}, PLACE), refused)
  await t.rejects(theme.render('uses', {}, PLACE), refused)
  t.equal(parses().length, 0, 'never again')
})

t.test('while a template goes on for long, others have their turn', async (t) => {
  const site = makeSite({ 'long.liquid': '{% for i in (1..90000) %}{{ i | plus: 1 | times: 2 }}{% endfor %}' })
  t.teardown(site.remove)
  const theme = new Theme({ folders: [site.root], root: site.root, locale: 'en', timezone: 'UTC', excerpt: (text) => text })
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  t.ok((await theme.render('long', {}, PLACE)).endsWith('180002'))
  isOver = true
  t.ok(turns > 2, `${turns} turns`)
})
