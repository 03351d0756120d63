import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { folderBefore } from '#git/history/removed-files.ts'
import { Objects } from '#git/objects/objects.ts'
import { openRepository } from '#git/repository.ts'
import { git } from '#support/git.ts'

t.test('files that a commit removed come back as they were, the large ones never whole in memory', async (t) => {
  const top = t.testdir()
  const files: Record<string, Buffer> = {
    'film.mp4': randomBytes(3_000_001),
    'cat.png': randomBytes(1000),
    'nothing.txt': Buffer.alloc(0),
  }
  git(top, ['init', '-q', '-b', 'main'])
  mkdirSync(join(top, 'trip'))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(top, 'trip', name), bytes)
  git(top, ['add', '-A'])
  git(top, ['commit', '-q', '-m', 'Add'])
  git(top, ['rm', '-q', '-r', 'trip'])
  git(top, ['commit', '-q', '-m', 'Remove'])
  const repository = await openRepository(top, true)
  if ('without' in repository) throw new Error(repository.without)
  const objects = new Objects(top)
  t.teardown(() => objects.close())
  const sizes: number[] = []
  const read = objects.read.bind(objects)
  objects.read = async (name) => {
    const found = await read(name)
    if (found) sizes.push(found.size)
    return found
  }
  const removed = await folderBefore({ repository, objects }, 'HEAD', 'trip').removed()
  t.same(removed.map(({ path }) => path).sort(), Object.keys(files).sort())
  for (const { path, copyTo } of removed) {
    const to = join(top, `${path}.back`)
    t.equal(await copyTo(to), true)
    t.ok(readFileSync(to).equals(files[path] ?? Buffer.alloc(1)), path)
  }
  t.same(sizes.sort(), [0, 1000])
})
