// Finds the tests that changed files bear on, for `npm test -- --changed`.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** A file that all tests depend on, whatever they import. */
const FOR_ALL = /^(?:package(?:-lock)?\.json|tsconfig.*\.json|bundle\.js|\.taprc|test\/tools\/.*)$/

/** A test that reads the product's files, and not only what it imports. */
const READS_ALL = 'test/architecture.test.ts'

/**
 * The files that differ from `since`, a commit, and those that git does not know yet. Without it: from the last commit, or, where
 * nothing is changed, from the one before.
 */
export function changedFiles(since) {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\0').filter(Boolean)
  const untracked = git('ls-files', '--others', '--exclude-standard', '-z')
  const differing = (from) => git('diff', '--name-only', '--no-renames', '-z', from, '--')
  const changed = [...differing(since ?? 'HEAD'), ...untracked]
  return changed.length > 0 || since !== undefined ? changed : differing('HEAD~1')
}

/**
 * Those of `tests` that reach one of the changed files: by imports, by the threads and the command that they start, or by naming it
 * or a folder it is in.
 */
export function reachedTests(tests, changed) {
  if (changed.some((file) => FOR_ALL.test(file))) return tests
  const texts = new Map(sources().map((file) => [file, readFileSync(file, 'utf8')]))
  const imports = new Map([...texts].map(([file, text]) => [file, importsOf(file, text)]))
  const others = changed.filter((file) => !texts.has(file))
  const names = others
    .flatMap((file) => [file, ...foldersOf(file)])
    .flatMap((name) => ["'", '"', '`', '../'].map((mark) => mark + name))
  const hits = new Set(changed.filter((file) => texts.has(file)))
  for (const [file, text] of texts) if (names.some((name) => text.includes(name))) hits.add(file)
  const reaches = (file, seen) => {
    if (hits.has(file)) return true
    if (seen.has(file)) return false
    seen.add(file)
    return (imports.get(file) ?? []).some((target) => reaches(target, seen))
  }
  return tests.filter((test) => test === READS_ALL || reaches(test, new Set()))
}

function sources() {
  const below = (folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[tj]s$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name))
  return [...below('src'), ...below('test'), ...below('bin')]
}

/** The files that a file loads when it runs, from the root. A type that is changed is a matter for the compiler. */
function importsOf(file, text) {
  const found = [...text.matchAll(/(?:\bfrom|^import|\bimport\()\s*'([#.][^']+)'/gm)].map(([, source]) => source)
  const paths = found.map((source) => {
    if (source.startsWith('.')) return posix.join(dirname(file), source)
    return `${source.startsWith('#support/') ? 'test' : 'src'}/${source.slice(1)}`
  })
  for (const [, path] of text.matchAll(/moduleAddress\('([^']+)'\)/g)) paths.push(`src/${path}.ts`)
  for (const [, path] of text.matchAll(/new URL\('(\.[^']+\.js)', import\.meta\.url\)/g))
    paths.push(posix.join(dirname(file), path))
  if (/bin\/cms\.js|dist\/cli\/run\.js/.test(text)) paths.push('src/cli/run.ts')
  if (/dist\/panel/.test(text)) paths.push('src/panel/panel.ts')
  return paths
}

function foldersOf(file) {
  const folder = dirname(file)
  return folder === '.' ? [] : [folder, ...foldersOf(folder)]
}
