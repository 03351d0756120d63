// `npm run build`: makes `dist` of `src`. Quire and the packages it is made of become one bundle, since finding and compiling some hundreds of small files is
// a third of a start; what is imported when it is first needed stays a chunk of its own. The packages under `dependencies`,
// `optionalDependencies` and `peerDependencies` are left out, for they are looked up while it runs. The licences of all others go along.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import ts from 'typescript'

/** Each module that is started by itself, at the path it has among the sources (`moduleAddress` of src/lib/package.ts). */
const ENTRIES = ['cli/run', 'core/format/edit-worker', 'core/links/scan-worker', 'features/site/building/out-writer-worker', 'features/site/pages/body-worker', 'features/site/pages/twin-worker', 'stores/files/searching/worker', 'stores/postgres/searching/reading-worker', 'features/site/searching/stems-worker', 'media/pictures/drawing', 'module/module']

/** What runs in browsers: `panel` on all pages, and the editor, which it loads where a page has a text. */
const PANEL = { panel: 'src/panel/panel.ts', editor: 'src/panel/editor/entry.ts' }

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** A field as markdown-it has it: `_defineProperty(this, "tokens", …)`, with remarks before the name. */
const FIELD = /_defineProperty\(\s*this,\s*(?:\/\*[\s\S]*?\*\/\s*)?"(\w+)",/g
const outside = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])),
  platform: 'node',
  // The first is a native part of `pg`, for who has installed it.
  external: (id) => id === 'pg-native' || outside.some((name) => id === name || id.startsWith(`${name}/`)),
  // Commands without a server load ajv alone.
  checks: { ineffectiveDynamicImport: false },
  onLog: mustBeFound,
  plugins: [{ name: 'plain-fields', transform: { filter: { id: /markdown-it\.mjs$/ }, handler: withPlainFields } }],
})
const { output } = await bundle.generate({ format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' })
await bundle.close()

const panel = await bundlePanel()

const files = new Map([...output, ...panel, ...declarations()].map(({ fileName, code }) => [fileName, code]))
const isChunk = (name) => name.startsWith('chunks/')
// An entry is put in place when all that it imports is there. The name of a chunk stands for its content.
for (const name of [...files.keys()].filter(isChunk)) if (!existsSync(join(dist, name))) put(name, files.get(name))
for (const name of [...files.keys()].filter((name) => !isChunk(name))) put(name, files.get(name))
put('LICENSES.txt', licences([...output, ...panel].flatMap(({ moduleIds }) => moduleIds)))
removeOthers(new Set(['LICENSES.txt', ...files.keys()]))

/** markdown-it was compiled for engines without fields in classes: its helper for them was a third of what Markdown took. */
function withPlainFields(code) {
  return code.replaceAll(FIELD, (_, name) => `(this.${name} =`)
}

/** The types of `quire-cms/module`, for who writes modules: the room imports nothing but itself, so each file is made by itself. */
function declarations() {
  return readdirSync(join(root, 'src/module')).map((name) => {
    const text = readFileSync(join(root, 'src/module', name), 'utf8')
    const { outputText } = ts.transpileDeclaration(text, { fileName: name, compilerOptions: { target: 'esnext', module: 'nodenext' } })
    return { fileName: `module/${name.replace(/\.ts$/, '.d.ts')}`, code: outputText.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'") }
  })
}

/** Makes `panel/*.js`, under names that stay: the server puts the hash of their content into their addresses. */
async function bundlePanel() {
  const bundle = await rolldown({ cwd: root, input: PANEL, platform: 'browser', tsconfig: join(root, 'src/panel/tsconfig.json'), onLog: mustBeFound })
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    entryFileNames: 'panel/[name].js',
    chunkFileNames: 'panel/[name].js',
  })
  await bundle.close()
  return output
}

/** Ends the build for a package that is not installed: else it would be looked for, and missed, when the program runs. */
function mustBeFound(level, log, handle) {
  if (log.code === 'UNRESOLVED_IMPORT') throw new Error(`${log.message}\nRun npm ci, and build again.`)
  handle(level, log)
}

function put(name, text) {
  const place = join(dist, name)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(`${place}.new`, text)
  renameSync(`${place}.new`, place)
}

function removeOthers(names) {
  for (const name of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(name.parentPath, name.name)
    if (name.isFile() && !names.has(path.slice(dist.length + 1).replaceAll('\\', '/'))) rmSync(path)
  }
}

function licences(moduleIds) {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/')) ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : 'Without a text of its own.'}\n`
  })
  return `Quire is made of these packages, each under the licence of its authors.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
