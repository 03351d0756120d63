import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, posix } from 'node:path'
import t from 'tap'

/** The rooms that each room may import, beside itself. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  bin: ['cli'],
  cli: [
    'app',
    'features',
    'http',
    'config',
    'core',
    'packages',
    'modules',
    'module',
    'frontmatter',
    'git',
    'fulltext',
    'liquid',
    'media',
    'markdown',
    'lib',
  ],
  app: ['features', 'module', 'http', 'config', 'core', 'frontmatter', 'git', 'fulltext', 'liquid', 'media', 'markdown', 'lib'],
  features: ['http', 'core', 'packages', 'module', 'frontmatter', 'git', 'fulltext', 'liquid', 'media', 'markdown', 'lib'],
  http: ['core', 'frontmatter', 'git', 'fulltext', 'media', 'markdown', 'lib'],
  stores: ['core', 'frontmatter', 'git', 'fulltext', 'media', 'markdown', 'lib'],
  mail: ['core', 'frontmatter', 'git', 'fulltext', 'liquid', 'media', 'markdown', 'lib'],
  config: ['core', 'frontmatter', 'git', 'fulltext', 'media', 'markdown', 'lib'],
  core: ['frontmatter', 'git', 'fulltext', 'media', 'markdown', 'lib'],
  frontmatter: ['lib'],
  git: ['lib'],
  fulltext: ['lib'],
  liquid: ['lib'],
  media: ['lib'],
  markdown: ['lib'],
  packages: ['lib'],
  module: [],
  panel: ['lib'],
  modules: ['module', 'lib'],
  lib: [],
}

/** The rooms that could be packages of their own: each imports `lib` alone, and has a page that says what it promises. */
const LIBRARIES: readonly string[] = ['packages', 'frontmatter', 'git', 'fulltext', 'liquid', 'media', 'markdown']

/** The one room that chooses adapters, beside test/support. */
const COMPOSITION_ROOT = 'src/cli/open/'

/** Modules that run in browsers: bundled for them, loaded by pages and by the tests that drive a browser. */
const BROWSER_ENTRIES: readonly string[] = ['src/panel/panel.ts', 'src/panel/editor/entry.ts']

/** The imports allowed between features: `from → to`. */
const BETWEEN_FEATURES: readonly string[] = [
  'revisions → records',
  'settings → records',
  'taxonomy → records',
  'menus → records',
  'media → records',
  'auth → users',
  'admin → auth',
  'admin → users',
  'webhooks → events',
  'audit → events',
  'modules → records',
  'modules → settings',
  'modules → events',
]

/** Rooms that a package is for, where it is not for all. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  fastify: ['app', 'http', 'features'],
  commander: ['cli'],
  liquidjs: ['features', 'liquid', 'mail'],
  nodemailer: ['mail'],
  jose: ['features'],
  'openid-client': ['features'],
  chokidar: ['cli'],
  'simple-git': ['git'],
  tar: ['stores'],
  pg: ['stores'],
  kysely: ['stores'],
  aws4fetch: ['stores'],
  sharp: ['media'],
  'markdown-it': ['markdown', 'core'],
  'highlight.js': ['markdown'],
  parse5: ['features'],
  semver: ['packages'],
  stripe: ['features'],
  '@codemirror/state': ['panel'],
  '@codemirror/view': ['panel'],
}

/**
 * The files that may name a store: the stores, the code that chooses one, the settings in which a person chooses one, and the
 * code that moves a site from one to the other.
 */
const KNOWS_STORES = /^src\/(?:stores\/|config\/|cli\/open\/|cli\/commands\/storage-|cli\/storage)/

/** A word that only such a file has a use for. */
const STORE_WORDS = /\bpostgres|\bkysely\b|\bpg_|\bdriver\b/i

/**
 * Packages held back for what others import: light-my-request, a part of fastify, asks for Node 22 from 6.7 on by way of its own.
 */
const HELD: readonly string[] = ['light-my-request']

/** Files that no feature has a use for yet. */
const NOT_RUN_YET: readonly string[] = []

/** The most lines a file of the product may have. */
const MOST_LINES = 250

/** A doc comment that begins with a question; "Returns whether …" says the same. */
const INTERROGATIVE = /^(?:What|How|Whether|Who|Whom|Whose|Which|Where|Why|When)(?:ever)?\b/

interface Import {
  /** A file from the root with `/`, or the name of a package. */
  readonly target: string
  readonly isPackage: boolean
  /** Only for types: gone when the program runs. */
  readonly isType: boolean
}

const product = [...filesIn('src', '.ts'), ...filesIn('bin', '.js')]
const imports = new Map([...product, ...filesIn('test', '.ts')].map((file) => [file, importsOf(file)]))

function filesIn(folder: string, extension: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension) && !/fixtures|node_modules/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'))
    .sort()
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8')
  const found: Import[] = []
  for (const [, kind, body, source] of text.matchAll(/^(import|export)\s+([^'";]*?)from\s+'([^']+)'/gm)) {
    found.push(importOf(file, source ?? '', kind === 'import' && /^type\s/.test(body ?? '')))
  }
  for (const [, source] of text.matchAll(/(?:^import|\bimport\(|\brequire\()\s*'([^']+)'/gm))
    found.push(importOf(file, source ?? '', false))
  // A test that starts the command loads what it loads; the command itself is plain JavaScript and runs what is built of this
  // file.
  if (/'(?:\.\.\/)*bin\/cms\.js'/.test(text)) found.push({ target: 'bin/cms.js', isPackage: false, isType: false })
  if (file === 'bin/cms.js') found.push({ target: 'src/cli/run.ts', isPackage: false, isType: false })
  return found
}

function importOf(file: string, source: string, isType: boolean): Import {
  if (source.startsWith('.')) return { target: posix.join(dirname(file), source), isPackage: false, isType }
  if (source.startsWith('#'))
    return { target: `${source.startsWith('#support/') ? 'test' : 'src'}/${source.slice(1)}`, isPackage: false, isType }
  const name = source.startsWith('@') ? source.split('/').slice(0, 2).join('/') : (source.split('/')[0] ?? source)
  return { target: name, isPackage: true, isType }
}

/** The room of a file of the product: `src/app.ts`, the table of features, the people of a site and its store of events are one. */
function roomOf(file: string): string {
  if (['src/app.ts', 'src/features.ts', 'src/people.ts', 'src/told-store.ts'].includes(file)) return 'app'
  return file.startsWith('bin/') ? 'bin' : (file.split('/')[1] ?? '')
}

function featureOf(file: string): string | undefined {
  return /^src\/features\/([^/]+)\//.exec(file)?.[1]
}

function storeOf(file: string): string | undefined {
  return /^src\/stores\/([^/]+)\//.exec(file)?.[1]
}

function insideImports(file: string): Import[] {
  return (imports.get(file) ?? []).filter((found) => !found.isPackage)
}

t.test('every room imports only the rooms below it', async (t) => {
  const wrong = product.flatMap((file) => {
    const room = roomOf(file)
    const allowed = [room, ...(ROOMS[room] ?? []), ...(file.startsWith(COMPOSITION_ROOT) ? ['stores', 'mail'] : [])]
    return insideImports(file)
      .filter(({ target }) => target.startsWith('src/') && !allowed.includes(roomOf(target)))
      .map(({ target }) => `${file} → ${target}`)
  })
  t.strictSame(wrong, [])
  t.strictSame(
    [...new Set(product.map(roomOf))].filter((room) => !Object.hasOwn(ROOMS, room)),
    [],
    'every file is in a room',
  )
})

t.test('a library knows nothing of Quire but lib, and has a page that is true', async (t) => {
  const beyond = product
    .filter((file) => LIBRARIES.includes(roomOf(file)))
    .flatMap((file) => insideImports(file).map(({ target }) => [file, target] as const))
    .filter(([file, target]) => ![roomOf(file), 'lib'].includes(roomOf(target)))
  t.strictSame(beyond, [])
  const pages = LIBRARIES.map((room) => [room, readFileSync(`src/${room}/README.md`, 'utf8')] as const)
  const named = pages.flatMap(([room, page]) => [...page.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => `src/${room}/${file}`))
  t.ok(named.length > 20)
  t.strictSame(
    named.filter((file) => !existsSync(file)),
    [],
    'the files that a page names are there',
  )
})

t.test('the tests of a library know no more than it does', async (t) => {
  const reached = (file: string, seen: Set<string>): Set<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    for (const { target } of insideImports(file)) reached(target, seen)
    return seen
  }
  const wrong = LIBRARIES.flatMap((room) => {
    const tests = [...imports.keys()].filter((file) => file.startsWith(`test/${room}/`))
    t.ok(tests.length >= 5, room)
    return tests.flatMap((file) =>
      [...reached(file, new Set())]
        .filter((target) => ![room, 'lib', 'support'].includes(roomOf(target)))
        .map((target) => `${file} → ${target}`),
    )
  })
  t.strictSame(wrong, [])
})

t.test('only the composition root and the tests of the stores choose an adapter', async (t) => {
  const choosers = [...imports.keys()].filter((file) =>
    insideImports(file).some(({ target }) => /^src\/(?:stores|mail)\//.test(target)),
  )
  const outside = choosers.filter(
    (file) => !/^(?:src\/(?:stores|mail)|test\/(?:support|stores|mail))\//.test(file) && !file.startsWith(COMPOSITION_ROOT),
  )
  t.strictSame(outside, [])
})

t.test('nothing else knows which store runs', async (t) => {
  const knowing = product.filter((file) => !KNOWS_STORES.test(file) && STORE_WORDS.test(readFileSync(file, 'utf8')))
  t.strictSame(knowing, [])
  const roots = product.filter((file) => file.startsWith(COMPOSITION_ROOT))
  t.ok(
    roots.some((file) => STORE_WORDS.test(readFileSync(file, 'utf8'))),
    'where it is chosen it is named',
  )
  const loaded = roots.flatMap((file) => {
    const eager = insideImports(file).filter(({ target, isType }) => target.startsWith('src/stores/') && !isType)
    const text = readFileSync(file, 'utf8')
    return eager.filter(({ target }) => !text.includes(`import('#${target.slice('src/'.length)}')`))
  })
  t.strictSame(loaded, [], 'and loaded only when it was chosen')
})

t.test('what the stores share is theirs alone, and none knows another', async (t) => {
  const pairs = product.flatMap((file) => {
    const from = file.startsWith(COMPOSITION_ROOT) ? 'open' : storeOf(file)
    const others = insideImports(file).map(({ target }) => storeOf(target))
    return others.filter((to) => to !== undefined && to !== from).map((to) => `${from} → ${to}`)
  })
  const chosen = ['open → engine', 'open → files', 'open → postgres', 'open → s3']
  t.strictSame([...new Set(pairs)].sort(), ['files → engine', ...chosen, 'postgres → engine'])
})

t.test('a feature imports no other', async (t) => {
  const pairs = product.flatMap((file) => {
    const from = featureOf(file)
    const others = insideImports(file).map(({ target }) => featureOf(target))
    return others.filter((to) => from !== undefined && to !== undefined && to !== from).map((to) => `${from} → ${to}`)
  })
  t.strictSame([...new Set(pairs)].sort(), [...BETWEEN_FEATURES].sort())
})

t.test('features are put together in their table alone', async (t) => {
  const makers = [...imports.keys()].filter((file) =>
    insideImports(file).some(({ target }) => /^src\/features\/[^/]+\/feature\.ts$/.test(target)),
  )
  t.strictSame(makers, ['src/features.ts'])
  const general = product.filter((file) => file === 'src/app.ts' || file.startsWith(COMPOSITION_ROOT))
  // What carries a site from store to store has no switch; modules are loaded before features are made.
  const named = general.flatMap((file) => insideImports(file).flatMap(({ target }) => featureOf(target) ?? []))
  t.strictSame([...new Set(named)].sort(), ['modules', 'storage'])
})

t.test('no file imports itself by way of others', async (t) => {
  t.strictSame(circles(), [])
})

/**
 * Circles of imports, of types and lazy ones included, each as a path. A type that two files need of each other belongs in a
 * third.
 */
function circles(): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file)
    if (at >= 0) found.push([...trail.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const { target } of insideImports(file)) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of product) visit(file, [])
  return found
}

t.test('folders are three deep at most, and none is climbed out of by three steps', async (t) => {
  t.strictSame(
    product.filter((file) => file.split('/').length > 5),
    [],
  )
  const climbing = [...imports.keys()].filter((file) => /from '(?:\.\.\/){3}/.test(readFileSync(file, 'utf8')))
  t.strictSame(climbing, [])
})

t.test('every file is short, and has a name of the domain', async (t) => {
  const long = product
    .map((file) => [file, readFileSync(file, 'utf8').trimEnd().split('\n').length] as const)
    .filter(([, lines]) => lines > MOST_LINES)
  t.strictSame(long, [])
  const vague = product.filter((file) =>
    /(?:^|[-.])(?:utils?|helpers?|managers?|services?|misc|common)(?:[-.]|$)/i.test(basename(file)),
  )
  t.strictSame(vague, [], 'no utils, helpers, manager, service')
  t.strictSame(
    product.filter((file) => basename(file, '.ts') === 'index'),
    [],
    'no index.ts',
  )
  const barrels = product.filter((file) => isBarrel(readFileSync(file, 'utf8')))
  t.strictSame(barrels, [], 'no file that only hands on what others export')
})

function isBarrel(text: string): boolean {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').trim()
  return code !== '' && code.replaceAll(/export\s[^'"]*?from\s+'[^']+'/g, '').trim() === ''
}

t.test('doc comments begin with a verb or a noun', async (t) => {
  const comments = product.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\/\*\*[\s*]*((?:(?!\*\/).)*)/g)].map(([, line = '']) => ({ file, line })),
  )
  t.ok(comments.length > 3000, 'the pattern finds what there is')
  t.strictSame(
    comments.filter(({ line }) => INTERROGATIVE.test(line)).map(({ file, line }) => `${file}: ${line}`),
    [],
  )
})

t.test('what is kept by name has a name that no other text can come to', async (t) => {
  const joined = product.filter((file) => {
    const text = readFileSync(file, 'utf8')
    return /new Cache|new KeyedMutex|new Map<string/.test(text) && JOINED.some((pattern) => pattern.test(text))
  })
  t.strictSame(joined, [], 'cacheKey makes such a name')
  t.ok(JOINED.every((pattern) => ['const name = `${a} ${b}`', 'this.#kept.get(parts.join())'].some((text) => pattern.test(text))))
})

/** Names for maps that are joined of texts, but for `kind/id`: an id has no slash. */
const JOINED: readonly RegExp[] = [
  /(?:const (?:name|key) = |\.(?:get|set|has|delete|run)\(\s*)`[^`]*\$\{[^`]*\}(?!\/\$)[^`]+\$\{/,
  /\.(?:get|set|has|delete|run)\([\w.]+\.join\(/,
]

t.test('text is brought to a normal form in linear time, by one file', async (t) => {
  const elsewhere = product.filter((file) => /\.normalize\('NF|\.normalize\(form/.test(readFileSync(file, 'utf8')))
  t.strictSame(elsewhere, ['src/lib/text/normal-form.ts'])
})

t.test('what is cached goes stale by the rule of one class', async (t) => {
  const elsewhere = product.filter((file) => /from 'lru-cache'/.test(readFileSync(file, 'utf8')))
  t.strictSame(elsewhere, ['src/lib/cache.ts'])
})

t.test('an ETag is made, and a conditional request answered, in one place', async (t) => {
  const own = /^src\/http\/(?:answers\/(?:etag|answers)|requests\/write-options)\.ts$/
  const elsewhere = product.filter((file) => !own.test(file) && CONDITIONAL.test(readFileSync(file, 'utf8')))
  t.strictSame(elsewhere, [])
  t.ok(["headers['if-match']", '.code(304)', "header('etag', tag)", 'tag as ETag'].every((text) => CONDITIONAL.test(text)))
})

/** Text that only the code that decides by ETags may have. */
const CONDITIONAL = /headers\[?\W*if-(?:none-)?match|headers\.ifMatch|\.code\(304\)|header\('etag'|as ETag\b|last-modified/i

t.test('every file of the product is loaded by a test, and run by the command', async (t) => {
  const tested = reached([...imports.keys()].filter((file) => file.endsWith('.test.ts')).concat(BROWSER_ENTRIES))
  t.strictSame(
    product.filter((file) => !tested.has(file) && !file.endsWith('.d.ts')),
    [],
  )
  t.ok(tested.has('src/config/load.ts'), 'the walk finds what there is')

  const named = reached(['bin/cms.js', ...BROWSER_ENTRIES])
  const run = reached(['bin/cms.js', ...BROWSER_ENTRIES], ({ isType }) => !isType)
  const idle = product.filter(
    (file) => !file.endsWith('.d.ts') && !run.has(file) && !(named.has(file) && hasTypesAlone(readFileSync(file, 'utf8'))),
  )
  t.strictSame(idle, NOT_RUN_YET, 'what only a test runs, or only types are taken of, is not used')
})

/** The files that come to be by way of imports from some, and of modules that are started by their address. */
function reached(from: readonly string[], counts: (found: Import) => boolean = () => true): Set<string> {
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    for (const one of insideImports(file)) if (counts(one)) visit(one.target)
    for (const started of startedBy(file)) visit(started)
  }
  for (const file of from) visit(file)
  return found
}

/** The modules that a file starts as workers. */
function startedBy(file: string): string[] {
  if (!imports.has(file)) return []
  const addresses = readFileSync(file, 'utf8').matchAll(/\bmoduleAddress\('([^']+)'\)/g)
  return [...addresses].map(([, path]) => `src/${path}.ts`)
}

/** Returns whether nothing of a file is left when the program runs. */
function hasTypesAlone(text: string): boolean {
  return !/^(?:export )?(?:default )?(?:async |abstract )?(?:function\*?|class|const|let) /m.test(text)
}

t.test('packages are used where they belong', async (t) => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Record<string, Record<string, string>>
  const isOurs = (name: string) => !isBuiltin(name)
  const used = product.flatMap((file) =>
    (imports.get(file) ?? []).filter(({ isPackage, target }) => isPackage && isOurs(target)).map((found) => ({ file, ...found })),
  )
  // What is bundled is there when the bundle is made; what is not, when it runs.
  const missing = used.filter(
    ({ target }) => !Object.hasOwn({ ...dependencies, ...devDependencies, ...optionalDependencies }, target),
  )
  t.strictSame(
    missing.map(({ file, target }) => `${file} → ${target}`),
    [],
    'what the product imports, it depends on',
  )
  const strays = used.filter(({ file, target }) => PACKAGES[target] && !PACKAGES[target].includes(roomOf(file)))
  t.strictSame(
    strays.map(({ file, target }) => `${file} → ${target}`),
    [],
    'no room knows the tools of another',
  )
  const isUsed = (name: string) => used.some(({ target, isType }) => target === name && !isType)
  const idle = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
    (name) => !isUsed(name) && !HELD.includes(name),
  )
  t.strictSame(idle, [], 'what nothing imports is no dependency')
})
