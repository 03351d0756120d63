// Bundles the packages that the mirror of `plain.js` imports, each with all that it is made of: finding and compiling some hundreds
// of small files is a third of what a test process takes to begin. Made anew when the lock file, this file or the imports change:
// in a process of its own, since some do something when they are loaded, as tap does.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Those that are also looked up by `require`, whose parts are read as files, or that nothing is gained with. */
const LEFT_OUT =
  /^(?:sharp|lunr|gray-matter|typescript|oidc-provider|openapi-|autocannon|minisearch|json-schema-to-ts|@codemirror|@lezer|style-mod)/

/**
 * The module of tap: what test files import as `t` is the test that `begin` was given last, so that several come one after another
 * in a process (see `hand.js`), else the process's own.
 */
const TAP = `import { t as own } from '../.bundles/tap.js'
export * from '../.bundles/tap.js'
export let t = own
export { t as default }
export function begin(test) {
  t = test
}
`

/** Puts the bundles of what is imported by these names into the `node_modules` of a folder. */
export function bundlePackages(folder, names) {
  const wanted = [...names].filter((name) => !LEFT_OUT.test(name)).sort()
  const hash = createHash('sha256').update(JSON.stringify([wanted, process.version]))
  for (const file of ['package-lock.json', 'test/tools/packages.js']) hash.update(readFileSync(join(root, file)))
  const stamp = hash.digest('hex')
  if (existsSync(join(folder, 'node_modules', stamp))) return
  execFileSync(process.execPath, [fileURLToPath(import.meta.url), folder, stamp, ...wanted], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function make(folder, stamp, wanted) {
  const { rolldown } = await import('rolldown')
  const place = join(folder, 'node_modules')
  // Beside the folder: within it, packages would be looked up among the bundles of before.
  const made = `${folder}.${process.pid}.made`
  rmSync(made, { recursive: true, force: true })
  const entries = await entriesOf(wanted, join(made, '.entries'))
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(({ file, path }) => [file, path])),
    platform: 'node',
    external: ['pg-native'],
    checks: { ineffectiveDynamicImport: false },
  })
  await bundle.write({
    dir: join(made, '.bundles'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await bundle.close()
  for (const { name, parts, ...entry } of packagesOf(entries)) {
    write(join(made, name, 'package.json'), JSON.stringify({ name, type: 'module', ...entry }))
    const up = '../'.repeat(name.split('/').length)
    for (const { file, hasDefault } of parts) {
      const from = `'${up}.bundles/${file}.js'`
      write(join(made, name, `${file}.js`), `export * from ${from}\n${hasDefault ? `export { default } from ${from}\n` : ''}`)
    }
  }
  write(join(made, 'tap/tap.js'), TAP)
  write(join(made, stamp), '')
  rmSync(place, { recursive: true, force: true })
  renameSync(made, place)
}

/** Writes a module for each name that exports what the package does, whichever way it is written; without those that hold types alone. */
async function entriesOf(names, folder) {
  const entries = []
  for (const name of names) {
    const module = await import(name).catch(() => undefined)
    if (!module) continue
    const exported = Object.keys(module).filter((one) => /^[A-Za-z_$][\w$]*$/.test(one))
    const file = name.replaceAll('/', '__')
    const path = join(folder, `${file}.js`)
    write(path, `export { ${exported.join(', ')} } from '${name}'\n`)
    entries.push({ name, file, path, hasDefault: exported.includes('default') })
  }
  return entries
}

function packagesOf(entries) {
  const packages = new Map()
  for (const entry of entries) {
    const [, name, below] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(entry.name)
    const known = packages.get(name) ?? { name, exports: {}, parts: [] }
    known.exports[`.${below}`] = `./${entry.file}.js`
    known.parts.push(entry)
    packages.set(name, known)
  }
  return packages.values()
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, stamp, ...wanted] = process.argv.slice(2)
  await make(folder, stamp, wanted)
  process.exit(0)
}
