import type { OpenReader, Source } from './item.ts'

/** The readers of all sources; each is loaded when it is needed. */
const READERS = {
  hugo: async () => (await import('./hugo/hugo.ts')).openHugo,
  jekyll: async () => (await import('./jekyll/jekyll.ts')).openJekyll,
  ghost: async () => (await import('./ghost/ghost.ts')).openGhost,
  eleventy: async () => (await import('./eleventy/eleventy.ts')).openEleventy,
  markdown: async () => (await import('./markdown.ts')).openMarkdown,
  wordpress: async () => (await import('./wordpress/wordpress.ts')).openWordPress,
} satisfies Record<Source, () => Promise<OpenReader>>

/** Returns the reader of a source. */
export function readerOf(source: Source): Promise<OpenReader> {
  return READERS[source]()
}
