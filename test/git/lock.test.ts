import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { indexLockPath, isLeftOver, lockIndex } from '#git/index/lock.ts'
import { openRepository, type Repository } from '#git/repository.ts'
import { git } from '#support/git.ts'

t.test('a lock of the index that was away with its folder while it was given back is taken again', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'quire-lock-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  git(root, ['init', '-q'])
  const repository = (await openRepository(root, true)) as Repository
  const path = indexLockPath(repository)
  const unlock = await lockIndex(repository)
  t.equal(isLeftOver(repository), false, 'it is held')
  renameSync(join(root, '.git'), join(root, 'away'))
  unlock()
  renameSync(join(root, 'away'), join(root, '.git'))
  t.equal(isLeftOver(repository), true)
  const again = await lockIndex(repository)
  t.equal(isLeftOver(repository), false)
  again()
  t.equal(existsSync(path), false)
  writeFileSync(path, '')
  t.equal(isLeftOver(repository), false, 'one of git’s is not ours to take')
})
