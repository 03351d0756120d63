import { htmlAddresses } from '#core/links/html-addresses.ts'
import { LinkScanner } from '#core/links/scanner.ts'
import { type Commented, withoutComments } from '#features/importing/comments.ts'
import { markdownOf } from '#features/importing/html/markdown.ts'
import { withJsonFences } from '#features/importing/hugo/json-head.ts'
import { withoutShortcodes } from '#features/importing/hugo/shortcodes.ts'
import { withoutLiquid } from '#features/importing/jekyll/liquid.ts'
import { bodyOf } from '#features/importing/wordpress/bodies.ts'
import { restrictedBy } from '#features/importing/wordpress/restrictions.ts'
import { redirectRules } from '#features/site/building/redirects.ts'
import { foreignComment } from '#features/site/checking/comments.ts'
import { bodyHtml } from '#features/site/pages/body-html.ts'
import { clean, shownHtml } from '#features/site/pages/clean.ts'
import { minutesOf } from '#features/site/pages/reading-time.ts'
import { twinOf, twinText } from '#features/site/pages/twin.ts'
import { withFirstPicture, withPictures } from '#features/site/pictures/picture-html.ts'
import { Markdown } from '#markdown/markdown.ts'
import type { Course } from './courses.ts'

const markdown = new Markdown()
const scanner = new LinkScanner(true)
const naming = { postUrl: () => undefined, link: (path: string) => path, page: () => 'T' }
const pictures = { at: () => null, hrefOf: (address: string) => address }
const asMarkdown = (html: string) => twinText(twinOf({ title: 'T', html }, { html, canonical: 'https://example.org/a' }))
const htmlOf = (text: string, wikilinks = false) =>
  bodyHtml(markdown, text, {
    ...{ title: 'a', trusted: false, syntax: { wikilinks }, resolve: (href: string) => href },
    pageNamed: (name: string) => (name.length % 2 === 0 ? '/a' : undefined),
  }).html

function course(name: string, work: (text: string) => unknown, inThread?: true): Course {
  return { name, kind: 'markdown', ...(inThread && { inThread }), prepare: (text) => () => work(text) }
}

/** What is done with HTML, of texts that are longer as such. */
function ofHtml(name: string, work: (html: string) => unknown, inThread?: true): Course {
  return {
    name,
    kind: 'markdown',
    ...(inThread && { inThread }),
    prepare: (text) => {
      const html = htmlOf(text).slice(0, text.length)
      return () => work(html)
    },
  }
}

/** What the public site does with texts, and an import, which is a program of its own and holds nobody up. */
export const SITE_COURSES: readonly Course[] = [
  course('site: links in double brackets to HTML', (text) => htmlOf(text, true), true),
  course('site: links in double brackets found', (text) => scanner.scan(text), true),
  course('site: excerpt with links in double brackets', (text) => markdown.excerpt(text, { wikilinks: true })),
  course('site: reading time', minutesOf),
  course('site: HTML cleaned', (text) => clean(text, (href) => href), true),
  course('site: HTML that is shown', shownHtml, true),
  course('site: comments of other tools', (text) => foreignComment(text), true),
  // Longer ones are not made into Markdown, and from 32 KiB on another thread does it.
  ofHtml('site: as Markdown', (html) => asMarkdown(html.slice(0, 512 * 1024)), true),
  ofHtml('site: as Markdown at once', (html) => asMarkdown(html.slice(0, 32 * 1024))),
  ofHtml('site: pictures', (html) => withFirstPicture(withPictures(html, pictures))),
  ofHtml('site: addresses', (html) => htmlAddresses(html)),
  course(
    'site: redirects',
    (text) =>
      redirectRules(
        text.split('\n').map((line) => ({ address: `/${line}`, out: line, to: `/${line}` })),
        { base: '', urls: 'directory' },
      ),
    true,
  ),
  course('import: Liquid', (text) => withoutLiquid(text, naming), true),
  course('import: shortcodes', (text) => withoutShortcodes(text, new Set(['a']), (to) => to), true),
  course('import: a head of JSON', (text) => withJsonFences(Buffer.from(`{${text}`)), true),
  course('import: HTML', (text) => markdownOf(text), true),
  course('import: HTML with ends of lines', (text) => markdownOf(text, { breaks: true }), true),
  course('import: a text of WordPress', (text) => bodyOf(text, () => []), true),
  course('import: restrictions of WordPress', (text) => restrictedBy({ texts: { encoded: text }, meta: { [text]: text } }), true),
  ...(['hugo', 'jekyll', 'eleventy', 'obsidian'] as const satisfies readonly Commented[]).map((tool) =>
    course(`import: comments of ${tool}`, (text) => withoutComments(text, tool), true),
  ),
]
