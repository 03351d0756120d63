import type { Style } from '#lib/files/lists.ts'

/** A list by which a tool leaves files out. */
export interface List {
  readonly style: Style
  /** The names of the keys that lead to it in a configuration; absent where each line of the file is an entry. */
  readonly keys?: readonly string[]
  /** True for a list in the code of a program, by the name of its key. */
  readonly isInCode?: true
  /** True where only entries behind a `!` leave files out. */
  readonly isTakenBack?: true
  /** True where it names what is shown, and what it does not name is left out. */
  readonly isOfShown?: true
}

const HUGO = /^(?:(?:hugo|config)\.(?:toml|ya?ml|json)|module\.(?:toml|ya?ml|json))$/

const of = (style: Style, keys: string): List => ({ style, keys: keys.split('.') })
const inCode = (style: Style, key: string): List => ({ style, keys: [key], isInCode: true })

/** Lists of tools by the names of the files that they stand in. */
export const LISTS: readonly (readonly [file: RegExp, lists: readonly List[]])[] = [
  // Jekyll, Hexo, Jupyter Book.
  [/^_config(?:[._-][\w-]+)?\.(?:ya?ml|toml)$/, [of('names', 'exclude'), of('paths', 'ignore'), of('paths', 'exclude_patterns')]],
  [/^bridgetown\.config\.ya?ml$/, [of('names', 'exclude')]],
  [
    /^mkdocs\.ya?ml$/,
    [
      of('ignore', 'exclude_docs'),
      of('ignore', 'draft_docs'),
      // A plugin.
      of('names', 'plugins.exclude.glob'),
      of('regular', 'plugins.exclude.regex'),
    ],
  ],
  [
    HUGO,
    [
      of('regular', 'ignoreFiles'),
      of('paths', 'module.mounts.excludeFiles'),
      of('paths', 'mounts.excludeFiles'),
      { ...of('paths', 'module.mounts.files'), isTakenBack: true },
      { ...of('paths', 'module.mounts.includeFiles'), isOfShown: true },
    ],
  ],
  // Zola.
  [/^(?:config|zola)\.toml$/, [of('paths', 'ignored_content')]],
  [/^\.eleventyignore$/, [{ style: 'paths' }]],
  // GitBook, Mintlify.
  [/^(?:\.bookignore|\.mintignore)$/, [{ style: 'ignore' }]],
  [
    /^(?:pelicanconf|publishconf)\.py$/,
    ['ARTICLE_EXCLUDES', 'PAGE_EXCLUDES', 'IGNORE_FILES'].map((key) => inCode('ignore', key)),
  ],
  // Sphinx.
  [/^conf\.py$/, [inCode('paths', 'exclude_patterns')]],
  [/^quartz\.config\.ya?ml$/, [of('ignore', 'configuration.ignorePatterns')]],
  // Obsidian Publish.
  [/^\.obsidian\/publish\.json$/, [of('paths', 'excluded')]],
  // Logseq.
  [/^logseq\/config\.edn$/, [inCode('paths', ':hidden')]],
  [/^_quarto(?:-[\w-]+)?\.ya?ml$/, [of('paths', 'website.drafts'), { ...of('paths', 'project.render'), isTakenBack: true }]],
  [/^_cobalt\.ya?ml$/, [of('ignore', 'ignore')]],
  [/^myst\.ya?ml$/, [of('paths', 'project.exclude')]],
  [/^retype\.(?:ya?ml|json)$/, [of('ignore', 'exclude')]],
  [/^docfx\.json$/, [of('paths', 'build.content.exclude')]],
  // Metalsmith, Wintersmith, Flowershow.
  [/^(?:metalsmith|config)\.json$/, [of('ignore', 'ignore'), of('ignore', 'contentExclude')]],
]

/** Eleventy leaves out what git does. */
export const OF_ELEVENTY: typeof LISTS = [[/^\.gitignore$/, [{ style: 'paths' }]]]

/** Matches files of programs in which a tool is told what to leave out, by any name and from any folder. */
export const PROGRAMS =
  /^(?:\.eleventy\.\w+|(?:(?:eleventy|astro|content|nuxt|docusaurus|gridsome|contentlayer|velite|source|quartz|_)\.?)?config\.[cm]?[jt]sx?|gatsby-(?:config|node)\.[cm]?[jt]s|metalsmith\.[cm]?[jt]s|config\.rb|Rules|conf\.py|(?:pelican|publish)conf\.py)$/

/** Matches those of VitePress, in which a list of another name is a plugin's. */
export const VITEPRESS = /^\.vitepress\/config(?:\/[\w.-]+)?\.[cm]?[jt]s$/

/** Folders below the site's root, and below its content, in which tools keep their configuration. */
export const CONFIG_FOLDERS = [
  ...['.vitepress', '.vitepress/config', '.vuepress', '.vuepress/config', 'src', 'src/content', '.obsidian', 'logseq'],
]
