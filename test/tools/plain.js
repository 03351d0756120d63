// Makes `.tap/plain`, a mirror of this checkout as plain JavaScript: each `x.ts` is `x.js` there, its types blanked out, so that
// lines and columns stay as they are, and all else is a link to what is here. What runs in it needs no hooks into how modules are
// loaded. In Node 20 these run in a thread of their own, which is most of what a process takes to start, and a test process was
// seen to die of SIGSEGV while it started with them.
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { blankSourceFile } from 'ts-blank-space'
import ts from 'typescript'
import { bundlePackages } from './packages.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ROOMS = ['bench', 'src', 'test']

/** Folders that hold no TypeScript, and that no file looks up by its own path. */
const LEFT_OUT = ['.git', 'node_modules']

/** The path of the mirror, without a `/` at its end. */
export const plain = join(root, '.tap/plain')

/** The names of packages that what is mirrored imports. */
const imported = new Set()

/** Brings the mirror up to date. Where tests are running in it, they find every file whole at any moment. */
export function makePlain() {
  mkdirSync(plain, { recursive: true })
  // What is built may be being built at this moment.
  const kept = [...new Set([...readdirSync(root), 'dist'])].filter((name) => !LEFT_OUT.includes(name))
  for (const name of kept) {
    if (ROOMS.includes(name)) mirror(name)
    else link(name)
  }
  removeOthers(plain, [...kept, 'node_modules'])
  bundlePackages(plain, imported)
}

function mirror(folder) {
  mkdirSync(join(plain, folder), { recursive: true })
  const names = readdirSync(join(root, folder), { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name)
    if (entry.isFile() && path.endsWith('.ts')) return strip(path)
    // The tools are no tests, and hold what was fetched for them.
    if (entry.isDirectory() && path !== join('test', 'tools')) mirror(path)
    else link(path)
    return entry.name
  })
  removeOthers(join(plain, folder), names)
}

function removeOthers(folder, names) {
  for (const name of readdirSync(folder)) {
    if (!names.includes(name) && !name.endsWith('.made')) rmSync(join(folder, name), { recursive: true })
  }
}

function link(path) {
  const [target, place] = [join(root, path), join(plain, path)]
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() && readlinkSync(place) === target) return
  rmSync(place, { recursive: true, force: true })
  symlinkSync(target, place)
}

/** Writes the JavaScript of a file, and gives its name. */
function strip(path) {
  const place = join(plain, path).replace(/\.ts$/, '.js')
  const text = readFileSync(join(root, path), 'utf8')
  // Stacks of what is thrown then name the file that a person can mend.
  const end = `\n//# sourceURL=${pathToFileURL(join(root, path)).href}\n`
  const made = `${place}.${process.pid}.made`
  writeFileSync(made, javascriptOf(path, text) + end)
  renameSync(made, place)
  return place.slice(place.lastIndexOf('/') + 1)
}

function javascriptOf(path, text) {
  const options = { languageVersion: ts.ScriptTarget.ESNext, impliedNodeFormat: ts.ModuleKind.ESNext }
  const refused = []
  const script = blankSourceFile(ts.createSourceFile(path, importingScripts(text), options, false, ts.ScriptKind.TS), (node) =>
    refused.push(node),
  )
  if (refused.length > 0) throw new Error(`${path}: it has what is more than types, and can't be taken out.`)
  return script
}

/** Returns the text with `.js` where it imports `.ts` of this checkout: as long as before. */
function importingScripts(text) {
  for (const { fileName, pos } of ts.preProcessFile(text).importedFiles) {
    if (/^[@a-z]/.test(fileName) && !fileName.startsWith('node:')) imported.add(fileName)
    if (!/^[.#]/.test(fileName) || !fileName.endsWith('.ts')) continue
    const at = text.indexOf(fileName, pos) + fileName.length - 2
    text = `${text.slice(0, at)}js${text.slice(at + 2)}`
  }
  return text
}
