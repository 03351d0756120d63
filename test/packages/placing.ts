import { readFileSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { readLock, writeLock } from '#packages/lock.ts'
import { removeTree, replaceTree } from '#packages/placing.ts'
import { integrityOf } from '#packages/proof.ts'

/** A process that adds or removes a module, and kills itself before the n-th of some calls of the disk. */
const [, , root = '', file = '', steps = '0', deed = 'add', calls = ''] = process.argv
const modules = join(root, 'modules')
const lockFile = join(root, 'modules.lock.yaml')

let left = Number(steps)
for (const name of calls.split(',') as ('rename' | 'mkdir')[]) {
  const before = fs[name] as (...args: unknown[]) => unknown
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      if (left-- === 0) process.kill(process.pid, 'SIGKILL')
      return before(...args)
    },
  })
}
syncBuiltinESMExports()

const lock = new Map(readLock(readFileSync(lockFile, 'utf8')))
if (deed === 'add') {
  const tgz = readFileSync(file)
  await replaceTree(modules, 'contacts', tgz, async (tree) => {
    lock.set('contacts', { version: '2.0.0', integrity: integrityOf(tgz), tree })
    await fs.rename(written(), lockFile)
  })
} else {
  await removeTree(modules, 'contacts', async () => {
    lock.delete('contacts')
    await fs.rename(written(), lockFile)
  })
}
process.stdout.write('done')

function written(): string {
  writeFileSync(`${lockFile}.new`, writeLock(lock))
  return `${lockFile}.new`
}
