import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { IndexBytes } from '#git/index/bytes.ts'
import { editIndex, type IndexChange } from '#git/index/edit.ts'
import { git } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'

const BLOBS = ['one', 'two', 'three']
const names = fc.constantFrom('a', 'a.md', 'a-b', 'b', 'é.md', 'c d', 'x'.repeat(60), 'z'.repeat(250))
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join('/')}.f`)
const trees = fc.uniqueArray(paths, { maxLength: 12 })
const edits = fc.uniqueArray(fc.record({ path: paths, blob: fc.option(fc.constantFrom(0, 1, 2), { nil: undefined }) }), {
  selector: ({ path }) => path,
  maxLength: 8,
})

for (const format of ['sha1', 'sha256']) {
  t.test(`an index is edited as git does it (${format})`, async (t) => {
    const site = makeSite()
    t.teardown(() => site.remove())
    git(site.root, ['init', '-q', `--object-format=${format}`])
    const ids = BLOBS.map((text) => {
      site.write('blob', text)
      return git(site.root, ['hash-object', '-w', 'blob'])
    })
    const [first = ''] = ids
    const index = site.path('.git/index')
    const env = { GIT_INDEX_FILE: site.path('.git/theirs') }
    const idLength = first.length / 2
    const zero = '0'.repeat(first.length)
    const info = (changes: readonly IndexChange[]) =>
      changes.map(({ path, id, mode }) => `${id ? `${mode} ${id}` : `0 ${zero}`}\t${path}\0`).join('')
    const change = (changes: readonly IndexChange[], more = {}) =>
      git(site.root, ['update-index', '-z', '--index-info'], more, info(changes))
    const begin = (files: readonly string[]) => {
      git(site.root, ['read-tree', '--empty'])
      change(files.map((path) => ({ path, mode: '100644', id: first })))
      // The cache of trees is in it from here on.
      git(site.root, ['write-tree'])
    }
    const holds = async (files: string[], wanted: { path: string; blob: number | undefined }[]) => {
      begin(files)
      const bytes = readFileSync(index)
      const changes = wanted.map(({ path, blob }) => ({ path, mode: '100644', id: blob === undefined ? undefined : ids[blob] }))
      const parsed = IndexBytes.parse(bytes, idLength)
      if (!parsed) throw new Error('An index as git writes it was not read.')
      const edited = editIndex(parsed, changes)
      if (!edited) return
      writeFileSync(env.GIT_INDEX_FILE, bytes)
      change(changes, env)
      writeFileSync(index, edited)
      const look = (more: Record<string, string> = {}) => [
        git(site.root, ['ls-files', '-s', '-v'], more),
        git(site.root, ['write-tree'], more),
      ]
      const [ours, theirs] = [look(), look(env)]
      if (ours.join('\n') !== theirs.join('\n')) throw new Error(`${ours.join('\n')}\nis not\n${theirs.join('\n')}`)
    }
    await fc.assert(fc.asyncProperty(trees, edits, holds), { numRuns: 25 })
    t.pass('held')
  })
}

t.test('what is not for us is left to git', async (t) => {
  const site = makeSite({ a: 'A', 'folder/b': 'B' })
  t.teardown(() => site.remove())
  git(site.root, ['init', '-q'])
  git(site.root, ['add', '.'])
  const bytes = () => readFileSync(site.path('.git/index'))
  const id = '0123456789'.repeat(4)
  const put = (path: string) => [{ path, mode: '100644', id }]
  const edited = (path: string) => {
    const index = IndexBytes.parse(bytes(), 20)
    return index && editIndex(index, put(path))
  }
  t.ok(edited('c'))
  t.notOk(edited('a/x'), 'a file where a folder is to be')
  t.notOk(edited('folder'), 'a folder where a file is to be')
  t.notOk(IndexBytes.parse(bytes().subarray(0, 80), 20), 'cut short')
  t.notOk(IndexBytes.parse(Buffer.alloc(200), 20))
  git(site.root, ['update-index', '--index-version', '4'])
  t.notOk(edited('c'), 'version 4')
  git(site.root, ['update-index', '--index-version', '2'])
  git(site.root, ['update-index', '--split-index'])
  t.notOk(edited('c'), 'split')
  git(site.root, ['update-index', '--no-split-index'])
  git(site.root, ['update-index', '--force-untracked-cache'])
  t.notOk(edited('c'), 'with what is untracked in it')
})
