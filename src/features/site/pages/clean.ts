import sanitize from 'sanitize-html'
import { withoutDepths } from '#lib/text/html-depths.ts'
import { SCROLLING } from '#markdown/rules/html.ts'
import { plainSrcset } from './srcset.ts'
import { wellFormed } from './well-formed.ts'

const TEXT =
  'h1 h2 h3 h4 h5 h6 p div span section article aside header footer main nav hr br blockquote q cite pre code kbd samp var b i em strong small s strike del ins u sub sup mark abbr dfn time data bdi bdo wbr address'
const LISTS = 'ul ol li dl dt dd details summary figure figcaption ruby rb rt rp'
const TABLES = 'table caption colgroup col thead tbody tfoot tr th td'
const MEDIA = 'a img picture source video audio track input'

const FOCUS = { tabindex: '0', role: 'group' }
const FOCUSABLE = { name: 'tabindex', values: ['0'] }
const GROUP = { name: 'role', values: ['group'] }

const BOXES = ['box', /^box-[a-z]+$/]

/** An option that its types leave out. */
const EMPTY = { allowedEmptyAttributes: ['alt', 'hidden'] }

const OPTIONS: sanitize.IOptions = {
  allowedTags: `${TEXT} ${LISTS} ${TABLES} ${MEDIA}`.split(' '),
  ...EMPTY,
  allowedAttributes: {
    '*': ['id', 'lang', 'dir', 'title', 'hidden', 'aria-label', 'aria-hidden', 'aria-describedby', 'aria-labelledby'],
    a: ['href', 'name', 'target', 'rel', 'hreflang', 'download'],
    input: [{ name: 'type', values: ['checkbox'] }, 'checked', 'disabled'],
    img: ['src', 'srcset', 'sizes', 'alt', 'width', 'height', 'loading', 'decoding'],
    source: ['src', 'srcset', 'sizes', 'media', 'type'],
    video: ['src', 'poster', 'controls', 'loop', 'muted', 'playsinline', 'preload', 'width', 'height'],
    audio: ['src', 'controls', 'loop', 'muted', 'preload'],
    track: ['src', 'kind', 'srclang', 'label', 'default'],
    ol: ['start', 'reversed', 'type'],
    li: ['value'],
    td: ['colspan', 'rowspan', 'headers'],
    th: ['colspan', 'rowspan', 'headers', 'scope', 'abbr'],
    col: ['span'],
    colgroup: ['span'],
    time: ['datetime'],
    data: ['value'],
    del: ['datetime', 'cite'],
    ins: ['datetime', 'cite'],
    blockquote: ['cite'],
    q: ['cite'],
    details: ['open'],
    div: [FOCUSABLE, GROUP],
    pre: [FOCUSABLE, GROUP],
  },
  allowedClasses: {
    code: [/^language-[\w+#.-]+$/],
    pre: [/^language-[\w+#.-]+$/, 'mermaid'],
    span: [/^hljs-[a-z_-]+$/, /^[a-z]+_$/, /^language-[\w+#.-]+$/, 'math', 'inline', 'display', 'wikilink-missing'],
    a: ['anchor', 'footnote-back'],
    sup: ['footnote-ref'],
    section: ['footnotes'],
    li: ['task'],
    p: ['box-title'],
    summary: ['box-title'],
    details: BOXES,
    div: ['scroll', 'math', 'display', ...BOXES],
    th: [/^align-\w+$/],
    td: [/^align-\w+$/],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite', 'poster'],
  allowProtocolRelative: true,
  disallowedTagsMode: 'discard',
  nonTextTags: [
    'script',
    'style',
    'textarea',
    'option',
    'noscript',
    'template',
    'xmp',
    'noembed',
    'noframes',
    'plaintext',
    'title',
    'svg',
    'math',
    'iframe',
    'object',
  ],
  // Of what a form has, a box of a task is left: it can't be changed, and is sent nowhere.
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs.type !== 'checkbox',
  nestingLimit: 100,
}

/**
 * HTML with only what an article needs left: no script, no handler, no style, no frame, no form, links to http, https, mailto and
 * tel. What is not well-formed is made so. `resolve` rewrites each href and image address.
 */
export function clean(html: string, resolve: (href: string) => string): string {
  const cleaned = sanitize(withoutDepths(html), {
    ...OPTIONS,
    transformTags: {
      a: (tagName, attribs) => ({ tagName, attribs: link(attribs, resolve) }),
      img: (tagName, attribs) => ({ tagName, attribs: { ...picture(attribs, resolve), loading: 'lazy' } }),
      source: (tagName, attribs) => ({ tagName, attribs: picture(attribs, resolve) }),
      video: (tagName, attribs) => ({ tagName, attribs: addressed(addressed(attribs, 'src', resolve), 'poster', resolve) }),
      audio: (tagName, attribs) => ({ tagName, attribs: addressed(attribs, 'src', resolve) }),
      track: (tagName, attribs) => ({ tagName, attribs: addressed(attribs, 'src', resolve) }),
      input: (tagName, attribs) => ({ tagName, attribs: { ...attribs, disabled: '' } }),
      // What scrolls is reached with the keyboard, and said to be what it is.
      pre: (tagName, attribs) => ({ tagName, attribs: Object.assign({ ...FOCUS, 'aria-label': 'Code' }, attribs, FOCUS) }),
    },
  })
  return withScrolling(wellFormed(cleaned))
}

/** HTML as `clean` leaves it, without what the page has out of sight. */
export function shownHtml(html: string): string {
  const tagNameOf = (tagName: string, { hidden, style = '' }: sanitize.Attributes) =>
    hidden !== undefined || OUT_OF_SIGHT.test(style) ? 'template' : tagName
  return sanitize(withoutDepths(html), {
    ...OPTIONS,
    transformTags: { '*': (tagName, attribs) => ({ tagName: tagNameOf(tagName, attribs), attribs }) },
  })
}

const OUT_OF_SIGHT = /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))/i
const TABLE_TAG = /<(\/?)table\b[^>]*>/g

/** Cleaned HTML with each table in a part that scrolls, but for those that are in one already or within another table. */
function withScrolling(html: string): string {
  let depth = 0
  return html.replaceAll(TABLE_TAG, (tag, close: string) => {
    if (close !== '') return --depth === 0 ? `${tag}</div>` : tag
    return depth++ === 0 ? `${SCROLLING}${tag}` : tag
  })
}

function picture(attribs: sanitize.Attributes, resolve: (href: string) => string): sanitize.Attributes {
  const { srcset, ...others } = addressed(attribs, 'src', resolve)
  const plain = srcset === undefined ? undefined : plainSrcset(srcset, resolve)
  return plain === undefined ? others : { ...others, srcset: plain }
}

function addressed(attribs: sanitize.Attributes, name: string, resolve: (href: string) => string): sanitize.Attributes {
  const address = attribs[name]
  return address === undefined ? attribs : { ...attribs, [name]: resolve(address) }
}

function link(attribs: sanitize.Attributes, resolve: (href: string) => string): sanitize.Attributes {
  const resolved = addressed(attribs, 'href', resolve)
  if (resolved.target === undefined) return resolved
  const rel = new Set((resolved.rel ?? '').split(/\s+/).filter((word) => word !== ''))
  return { ...resolved, rel: [...rel.add('noopener')].join(' ') }
}
