import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { atWorkSince, madeAt } from '#git/landing/checkout.ts'

t.test('a file that is made in the same tick as the lock is not older than it', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'quire-lock-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const older: string[] = []
  for (let n = 0; n < 500; n++) {
    const [lock, file] = [join(dir, 'index.lock'), join(dir, `${n}.yaml`)]
    writeFileSync(lock, '')
    writeFileSync(file, '')
    const made = madeAt(lstatSync(file, { bigint: true }))
    if (made < (atWorkSince({ dir }) ?? Number.POSITIVE_INFINITY)) older.push(file)
    rmSync(lock)
  }
  t.same(older, [])
})
