import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeFolder } from '#lib/files/make-folder.ts'

t.test('a folder is made with those above it, and may be there', async (t) => {
  const top = t.testdir()
  for (const folder of ['a/b/c', 'a/b', 'a/d', '.']) {
    makeFolder(join(top, folder))
    t.ok(existsSync(join(top, folder)), folder)
  }
})

t.test('where none can be made, that is said', async (t) => {
  const top = t.testdir()
  writeFileSync(join(top, 'file'), '')
  symlinkSync(join(top, 'nowhere'), join(top, 'link'))
  t.throws(() => makeFolder(join(top, 'file')), { code: 'EEXIST' })
  t.throws(() => makeFolder(join(top, 'file/x')), { code: 'ENOTDIR' })
  t.throws(() => makeFolder(join(top, 'link/x')), { code: 'ENOENT' })
  if (existsSync('/proc/self')) t.throws(() => makeFolder('/proc/x/y'), { code: 'ENOENT' })
})
