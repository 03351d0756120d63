import { Liquid } from 'liquidjs'
import { Source } from '#config/source.ts'
import { plainAddress } from '#core/address.ts'
import { aliasesOf } from '#core/aliases.ts'
import { firstHeading } from '#core/format/derive.ts'
import { editSource } from '#core/format/edit.ts'
import { readDocument } from '#core/format/read.ts'
import { parseKey } from '#core/key.ts'
import { LinkScanner } from '#core/links/scanner.ts'
import { folded } from '#core/queries/comparison.ts'
import { TermSemantics } from '#core/terms/semantics.ts'
import { declaredTerms, synonymsOf } from '#core/terms/tree.ts'
import { parseForm } from '#features/admin/forms/body.ts'
import { itemsOf } from '#features/menus/tree.ts'
import { planOf } from '#features/records/reading/parameters.ts'
import { differencesOf } from '#features/revisions/differences.ts'
import { bodyHtml } from '#features/site/pages/body-html.ts'
import { mergeText } from '#frontmatter/merge.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { excerptOf } from '#fulltext/excerpt.ts'
import { queryOf } from '#fulltext/query.ts'
import { Reading } from '#fulltext/reading.ts'
import { plainText } from '#fulltext/text/plain-text.ts'
import { parseBody } from '#http/requests/body.ts'
import { queryParser } from '#http/requests/query.ts'
import { lineDiff } from '#lib/text/line-diff.ts'
import { withLineEndings } from '#lib/text/line-endings.ts'
import { slugify } from '#lib/text/slug.ts'
import { boundTemplates, TEMPLATE_LIMITS } from '#liquid/template-bounds.ts'
import { ForeignSyntax } from '#markdown/foreign.ts'
import { Markdown } from '#markdown/markdown.ts'
import { plainTypes } from '#support/types.ts'
import type { Kind } from './shapes.ts'
import { SITE_COURSES } from './site-courses.ts'

/** One thing that is done with what strangers send or files hold. `prepare` makes of a text what is measured. */
export interface Course {
  readonly name: string
  /** Set if large texts are handled in a thread, or by a build: then they hold nothing up. */
  readonly inThread?: true
  readonly kind: Kind
  prepare(text: string): () => unknown
}

const key = keyOf('posts', 'hello')
const types = plainTypes()
const type = typeOf('posts')
const md = { extension: 'md' }
const analyser = new Analyser('en')
const stems = new Set(['word', 'fox', 'a', '漢字'])
const markdown = new Markdown()
const foreign = new ForeignSyntax()
const shortcodes = { has: () => true, html: () => ({ before: '<i>', after: '</i>' }) }
const scanner = new LinkScanner()
const parse = queryParser()
const semantics = new TermSemantics(new Map([['tags', new Map([['other', 'another']])]]))

function keyOf(kind: string, id: string) {
  const key = parseKey(kind, id)
  if (!key) throw new Error(`${kind}/${id} is no key`)
  return key
}

function typeOf(name: string) {
  const type = types.get(name)
  if (!type) throw new Error(`There is no type ${name}`)
  return type
}

function read(text: string, extension = 'md') {
  return readDocument(key, type, Buffer.from(text), { extension }, 'posts/hello.md')
}

/** A menu's fields; a text that is no data is one item. */
function menu(text: string) {
  const shape = types.shape('menus')
  const { fields } = readDocument(keyOf('menus', 'main'), shape, Buffer.from(text), { extension: 'yaml' }, 'menus/main.yaml')
  return Array.isArray(fields.items) ? fields : { items: [text] }
}

/** Wraps work so that an error it throws is a result, too. */
function settled(work: () => unknown): () => unknown {
  return () => {
    try {
      return work()
    } catch (error) {
      return error
    }
  }
}

/** A text of which each `step`th line is another. */
function changed(text: string, step: number, mark: string): string {
  return text
    .split('\n')
    .map((line, n) => (n % step === 0 ? line + mark : line))
    .join('\n')
}

/** A text whose lines stand in another order. */
function mixed(text: string): string {
  const lines = text.split('\n')
  return lines.map((_, n) => lines[(n * 7919) % lines.length]).join('\n')
}

const matter = (syntax: '---' | '+++' | '---json') => (text: string) =>
  `${syntax}\n${text.endsWith('\n') ? text : `${text}\n`}${syntax.slice(0, 3)}\n\nBody\n`

function matterCourses(kind: 'yaml' | 'toml' | 'json', wrap: (text: string) => string): Course[] {
  return [
    { name: `${kind}: read`, kind, prepare: (text) => () => read(wrap(text)) },
    {
      name: `${kind}: set a field`,
      inThread: true,
      kind,
      prepare: (text) => {
        const bytes = Buffer.from(wrap(text))
        return settled(() => editSource(type, bytes, md, { set: { title: 'Another title' } }, key))
      },
    },
    {
      name: `${kind}: set fields that are there`,
      inThread: true,
      kind,
      prepare: (text) => {
        const bytes = Buffer.from(wrap(text))
        return settled(() =>
          editSource(type, bytes, md, { set: { x: 'one', y: ['a', 'b'], tags: ['a', 'b'], a: { b: 2 }, k1: null } }, key),
        )
      },
    },
  ]
}

/** The terms of a file, with another in place of the first. */
function termsIn(bytes: Buffer): string[] {
  const { tags } = readDocument(key, type, bytes, md, 'hello.md').fields
  return ['another', ...(Array.isArray(tags) ? tags : []).slice(1).map(String)]
}

export const COURSES: readonly Course[] = [
  ...matterCourses('yaml', matter('---')),
  ...matterCourses('toml', matter('+++')),
  ...matterCourses('json', matter('---json')),
  {
    name: 'yaml: set all terms but one',
    inThread: true,
    kind: 'yaml',
    prepare: (text) => {
      const bytes = Buffer.from(matter('---')(text))
      const tags = termsIn(bytes)
      return settled(() => editSource(type, bytes, md, { set: { tags } }, key))
    },
  },
  {
    name: 'yaml: terms in the words of the file',
    kind: 'yaml',
    prepare: (text) => {
      const tags = termsIn(Buffer.from(matter('---')(text)))
      return () => semantics.said('tags', [...tags].reverse(), tags)
    },
  },
  {
    name: 'yaml: the other names of a term',
    kind: 'yaml',
    prepare: (text) => {
      const aliases = text.split('\n')
      const head = { ...read(''), fields: { aliases } }
      return () => new TermSemantics(new Map([['tags', synonymsOf(declaredTerms({ hierarchical: false }, [head]))]]))
    },
  },
  {
    name: 'yaml: the old addresses of a record',
    kind: 'yaml',
    prepare: (text) => {
      const aliases = text.split('\n')
      return () => aliasesOf({ fields: { aliases } }, '/blog/x')
    },
  },
  {
    name: 'yaml: the items of a menu',
    kind: 'yaml',
    prepare: (text) => {
      const { items } = menu(text)
      return () => itemsOf(items)
    },
  },
  { name: 'yaml: a data file', kind: 'yaml', prepare: (text) => () => read(text, 'yaml') },
  {
    name: 'yaml: a configuration',
    kind: 'yaml',
    prepare: (text) => settled(() => new Source('cms.config.yaml', Buffer.from(text))),
  },
  { name: 'markdown: read', kind: 'markdown', prepare: (text) => () => read(text) },
  { name: 'markdown: read under front matter', kind: 'markdown', prepare: (text) => () => read(`---\ntitle: a\n---\n\n${text}`) },
  {
    name: 'markdown: set the body',
    inThread: true,
    kind: 'markdown',
    prepare: (text) => {
      const bytes = Buffer.from(`---\ntitle: a\n---\n\n${text}`)
      return settled(() => editSource(type, bytes, md, { body: changed(text, 3, '!') }, key))
    },
  },
  {
    name: 'markdown: as a field',
    inThread: true,
    kind: 'markdown',
    prepare: (text) => settled(() => editSource(type, undefined, md, { set: { title: 'a', text, list: [text] } }, key)),
  },
  {
    name: 'markdown: to HTML',
    inThread: true,
    kind: 'markdown',
    prepare: (text) => () => bodyHtml(markdown, text, { title: 'a', trusted: false, resolve: (href) => href }),
  },
  {
    name: 'markdown: to HTML, trusted',
    inThread: true,
    kind: 'markdown',
    prepare: (text) => () => bodyHtml(markdown, text, { title: 'a', trusted: true, resolve: (href) => href }),
  },
  {
    name: 'markdown: with shortcodes',
    inThread: true,
    kind: 'markdown',
    prepare: (text) => () => bodyHtml(markdown, text, { title: 'a', trusted: false, shortcodes, resolve: (href) => href }),
  },
  { name: 'markdown: syntax of other tools', inThread: true, kind: 'markdown', prepare: (text) => () => foreign.find(text) },
  { name: 'markdown: ids', inThread: true, kind: 'markdown', prepare: (text) => () => markdown.ids(text, 'a') },
  { name: 'markdown: excerpt', kind: 'markdown', prepare: (text) => () => markdown.excerpt(text) },
  { name: 'markdown: plain text', inThread: true, kind: 'markdown', prepare: (text) => () => plainText(text) },
  { name: 'markdown: words', inThread: true, kind: 'markdown', prepare: (text) => () => analyser.read(text, () => undefined) },
  {
    name: 'markdown: found in',
    kind: 'markdown',
    prepare: (text) => () => excerptOf(Reading.of(text).indexed(analyser), stems, analyser),
  },
  { name: 'markdown: first heading', kind: 'markdown', prepare: (text) => () => firstHeading(`# ${text}`) },
  {
    name: 'markdown: first heading of many',
    kind: 'markdown',
    prepare: (text) => {
      const line = `# ${text.slice(0, 900).replaceAll('\n', ' ')}\n`
      const many = line.repeat(Math.ceil(text.length / line.length))
      return () => firstHeading(many)
    },
  },
  { name: 'markdown: looked into by a filter', kind: 'markdown', prepare: (text) => () => folded(text) },
  { name: 'markdown: links', inThread: true, kind: 'markdown', prepare: (text) => () => scanner.scan(text) },
  { name: 'markdown: slug', kind: 'markdown', prepare: (text) => () => slugify(text) },
  {
    name: 'markdown: merged',
    kind: 'markdown',
    prepare: (text) => {
      const [ours, theirs] = [changed(text, 5, '!'), changed(text, 7, '?')]
      return () => mergeText(text, ours, theirs)
    },
  },
  {
    name: 'markdown: merged with what has moved',
    kind: 'markdown',
    prepare: (text) => {
      const [ours, theirs] = [mixed(text), `${text}\n\nmore`]
      return () => mergeText(text, ours, theirs, 'ours')
    },
  },
  {
    name: 'markdown: compared',
    kind: 'markdown',
    prepare: (text) => {
      const after = changed(text, 5, '!')
      return () => lineDiff(text, after)
    },
  },
  {
    name: 'markdown: compared with what has moved',
    kind: 'markdown',
    prepare: (text) => {
      const [before, after] = [read(text), read(mixed(text))]
      return () => differencesOf(before, after)
    },
  },
  { name: 'json: a request', kind: 'json', prepare: (text) => settled(() => parseBody(Buffer.from(text))) },
  {
    name: 'markdown: lines that keep their ends',
    inThread: true,
    kind: 'markdown',
    prepare: (text) => {
      const raw = text
        .split('\n')
        .map((line, n) => (n % 2 === 0 ? `${line}\r` : line))
        .join('\n')
      return () => withLineEndings(mixed(text), raw)
    },
  },
  { name: 'query: what is searched for', kind: 'query', prepare: (text) => () => queryOf(text, analyser) },
  { name: 'query: a string of parameters', kind: 'query', prepare: (text) => () => parse(text) },
  ...['sort', 'fields', 'include', 'facets', 'q', 'at', 'tag', 'status', 'page', 'filter[title][in]', 'filter[published_at]'].map(
    (name): Course => ({
      name: `query: ${name}`,
      kind: 'query',
      prepare: (text) => settled(() => planOf(type, { [name]: text })),
    }),
  ),
  { name: 'query: a form', kind: 'query', prepare: (text) => settled(() => parseForm(Buffer.from(text))) },
  { name: 'query: an id', kind: 'query', prepare: (text) => () => parseKey('posts', text) },
  { name: 'query: an e-mail address', kind: 'query', prepare: (text) => () => plainAddress(text) },
  {
    name: 'template: parsed',
    kind: 'template',
    prepare: (text) => {
      const liquid = new Liquid({ templates: { 'a.liquid': text }, extname: '.liquid', ...TEMPLATE_LIMITS })
      boundTemplates(liquid)
      return settled(() => liquid.parseFileSync('a'))
    },
  },
  ...SITE_COURSES,
  { name: 'query: a name', kind: 'query', prepare: (text) => settled(() => planOf(type, { [text]: '1' })) },
]
