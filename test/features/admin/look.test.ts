import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Liquid } from 'liquidjs'
import t from 'tap'
import type { FieldKind, FieldView } from '#features/admin/forms/field-view.ts'

const ROOT = join(import.meta.dirname, '../../../templates/admin')

const names = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
const templates = new Map(names.filter((name) => name.endsWith('.liquid')).map((name) => [name, read(name)]))
const icons = new Map(
  names.flatMap((name) => {
    const icon = /^icons\/(.+)\.svg$/.exec(name)?.[1]
    return icon === undefined ? [] : [[icon, read(name)]]
  }),
)
const css = read('assets/panel.css')

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8')
}

/** Returns what a browser gets of a template: without its comments. */
function markupOf(text: string): string {
  return text.replaceAll(/\{%-?\s*comment[\s\S]*?endcomment\s*-?%\}/g, '')
}

function engine(): Liquid {
  const liquid = new Liquid({
    root: ROOT,
    extname: '.liquid',
    outputEscape: 'escape',
    ownPropertyOnly: true,
    strictFilters: true,
  })
  liquid.registerFilter('icon', { raw: true, handler: (name: string) => icons.get(name) ?? `no icon ${name}` })
  liquid.registerFilter('asset', (name: string) => `/admin/assets/${name}`)
  for (const name of ['time', 'coming'])
    liquid.registerFilter(name, { raw: true, handler: (value: string) => `<time>${value}</time>` })
  liquid.registerFilter('day', (value: string) => value)
  return liquid
}

t.test('templates', async (t) => {
  const liquid = engine()
  t.ok(templates.size > 40)
  for (const [name, text] of templates) {
    const markup = markupOf(text)
    t.doesNotThrow(() => liquid.parseFileSync(name), name)
    t.notMatch(markup, /<style|\sstyle=/i, `${name} has no style of its own`)
    t.notMatch(markup, /\son[a-z]+\s*=|javascript:/i, `${name} has no handler`)
    t.notMatch(markup, /<script(?![^>]*src=")/i, `${name} has no script of its own`)
    t.notMatch(markup, /(?:src|href|action|poster)="(?:[a-z]+:)?\/\//i, `${name} leads nowhere else`)
    for (const [, part = ''] of markup.matchAll(/(?:render|layout) '([^']+)'/g)) {
      t.ok(templates.has(`${part}.liquid`), `${name} uses ${part}`)
    }
    t.notMatch(markup, /: empty\b/, `${name} takes no literal of Liquid for a value`)
    const posts = markup.match(/method="post"/g)?.length ?? 0
    t.equal(markup.match(/render 'csrf'/g)?.length ?? 0, posts, `each form of ${name} that writes has a token`)
  }
})

t.test('icons', async (t) => {
  for (const [name, text] of templates) {
    for (const [, icon = ''] of markupOf(text).matchAll(/'([a-z_-]+)' \| icon/g)) t.ok(icons.has(icon), `${icon} of ${name}`)
  }
  for (const glyph of ['draft', 'in_review', 'scheduled', 'published', 'archived', 'expired', 'unreadable', 'deleted']) {
    t.ok(icons.has(`status-${glyph}`), glyph)
  }
  for (const [name, svg] of icons) {
    t.match(svg, /^<svg class="icon" .*aria-hidden="true".*<\/svg>\n$/, name)
    t.notMatch(svg, /<script|\son|\sstyle=|href|<text/i, name)
  }
  t.match(read('icons/LICENSE.txt'), /ISC License[\s\S]*Lucide/)
})

/** Texts on grounds: at least 4.5 : 1. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  ink: ['paper', 'wash', 'sunk', 'raise', 'accent-wash', 'amber-wash', 'blue-wash', 'red-wash', 'add', 'del', 'mark'],
  soft: ['paper', 'wash', 'sunk', 'accent-wash'],
  accent: ['paper', 'wash', 'sunk', 'accent-wash'],
  deep: ['paper', 'wash', 'accent-wash'],
  amber: ['paper', 'wash', 'amber-wash'],
  blue: ['paper', 'wash', 'blue-wash'],
  red: ['paper', 'wash', 'red-wash'],
  'on-accent': ['accent', 'deep'],
  'on-red': ['red', 'red-deep'],
  paper: ['ink'],
}
/** Borders of inputs, focus and glyphs: at least 3 : 1. */
const EDGES: Readonly<Record<string, readonly string[]>> = {
  edge: ['paper', 'wash'],
  accent: ['paper', 'wash', 'sunk', 'accent-wash'],
  amber: ['paper'],
  red: ['paper', 'wash'],
}

t.test('colours', async (t) => {
  const tokens = new Map(
    [...css.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
      ([, name = '', light = '', dark = '']) => [name, { light, dark }],
    ),
  )
  t.ok(tokens.size >= 24)
  for (const scheme of ['light', 'dark'] as const) {
    for (const [pairs, least] of [
      [TEXTS, 4.5],
      [EDGES, 3],
    ] as const) {
      for (const [front, grounds] of Object.entries(pairs)) {
        for (const ground of grounds) {
          const found = contrast(tokens.get(front)?.[scheme] ?? '', tokens.get(ground)?.[scheme] ?? '')
          t.ok(found >= least, `${front} on ${ground}, ${scheme}: ${found.toFixed(2)}`)
        }
      }
    }
  }
})

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

t.test('the sheet', async (t) => {
  t.notMatch(css, /@import|url\(|@font-face/, 'loads nothing')
  t.ok(gzipSync(css, { level: 9 }).length <= 14 * 1024, 'is light')
  for (const query of ['forced-colors: active', 'prefers-reduced-motion: reduce', 'print', 'scripting: none']) {
    t.ok(css.includes(query), query)
  }
  t.notMatch(css.replaceAll(/light-dark\([^;]*;/g, ''), /#(?!151a18|fff)[0-9a-f]{3,8}\b/i, 'has colours as tokens alone')
})

const KINDS = {
  text: '<input type="text"',
  textarea: '<textarea',
  markdown: '<textarea',
  number: 'inputmode="decimal"',
  checkbox: 'type="checkbox"',
  date: 'type="date"',
  datetime: 'type="datetime-local"',
  select: '<select',
  choices: 'type="checkbox"',
  list: '<ol class="items"',
  object: '<fieldset class="group"',
  reference: '<input type="text"',
  media: '<input type="text"',
  slug: 'data-slug',
  email: 'type="email"',
  url: 'inputmode="url"',
  color: '<input type="text"',
  json: 'spellcheck="false"',
  kept: '<pre',
} satisfies Record<FieldKind, string>

function fieldOf(kind: FieldKind, more: Partial<FieldView> = {}): FieldView {
  const inner = {
    id: 'f-x-0',
    name: 'x[0]',
    label: 'Inner',
    kind: 'text',
    value: '',
    required: false,
    isReadOnly: false,
  } as const
  return {
    kind,
    id: 'f-x',
    name: kind === 'choices' ? 'x[]' : 'x',
    label: 'A <label>',
    value: '"><b>',
    required: true,
    isReadOnly: false,
    help: 'Help.',
    options: [{ value: 'a', label: 'A', isSelected: true }],
    ...(kind === 'list' && { items: [inner], blank: { ...inner, name: 'x[__n__]', id: 'f-x-__n__' } }),
    ...(kind === 'object' && { fields: [inner] }),
    hidden: { name: 'x[]', value: 'mark' },
    ...more,
  }
}

t.test('fields', async (t) => {
  const liquid = engine()
  for (const [kind, drawn] of Object.entries(KINDS) as [FieldKind, string][]) {
    const html = String(await liquid.renderFile('fields/field', { field: fieldOf(kind, { error: 'Not so.' }) }))
    t.ok(html.includes(drawn), `${kind} is drawn`)
    t.ok(html.includes('A &lt;label&gt;'), `${kind} has its label`)
    t.notMatch(html, /"><b>|no icon/, `${kind} is escaped`)
    t.ok(html.indexOf('value="mark"') >= 0, `${kind} has its hidden input`)
    t.ok(!/name="x/.test(html.slice(0, html.indexOf('value="mark"') - 20)), `which comes first of ${kind}`)
    if (kind !== 'kept') t.ok(html.includes('Not so.'), `${kind} says what is wrong`)
    for (const [, ids = ''] of html.matchAll(/aria-describedby="([^"]+)"/g)) {
      for (const id of ids.split(' ')) t.ok(html.includes(`id="${id}"`), `${kind} is described by ${id}`)
    }
    for (const [, id = ''] of html.matchAll(/ for="([^"]+)"/g)) t.ok(html.includes(`id="${id}"`), `${kind} has ${id}`)
  }
})

t.test('a text keeps the line breaks that it begins with', async (t) => {
  for (const kind of ['textarea', 'markdown', 'json'] as const) {
    const html = String(await engine().renderFile('fields/field', { field: fieldOf(kind, { value: '\n\ntext\n' }) }))
    // A browser takes the first line break after the tag away.
    t.match(html, />\n\n\ntext\n<\/textarea>/, kind)
  }
})

t.test('lists have buttons with the paths of their items', async (t) => {
  const items = ['seo[links][0]', 'seo[links][1]'].map((name, at) =>
    fieldOf('url', { name, id: `f-${at}`, label: `Link ${at + 1}` }),
  )
  const html = String(await engine().renderFile('fields/field', { field: fieldOf('list', { name: 'seo[links]', items }) }))
  for (const value of ['add:seo.links', 'down:seo.links.0', 'up:seo.links.1', 'remove:seo.links.1']) {
    t.ok(html.includes(`name="do" value="${value}"`), value)
  }
  t.match(html, /up:seo\.links\.0"[^>]*disabled/)
  t.match(html, /down:seo\.links\.1"[^>]*disabled/)
})

t.test('what a script makes use of is never a part that is hidden without scripts', async (t) => {
  const marked = [...templates].filter(([, text]) => text.includes('data-script=')).map(([name]) => name)
  t.same(marked, [], 'data-script stands alone: it hides all that it is on')
})
