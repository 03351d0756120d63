import t from 'tap'
import { readLock, writeLock } from '#packages/lock.ts'

const SHA = `sha512-${'A'.repeat(86)}==`
const KEY = `ed25519:${'A'.repeat(43)}=`

t.test('a lock is written and read again, sorted by name', async (t) => {
  const lock = new Map([
    ['tides', { version: '1.0.0', integrity: SHA, tree: SHA }],
    ['contacts', { version: '2.0.0-rc.1', integrity: SHA, tree: SHA, signer: KEY, registry: 'https://modules.example.org' }],
  ])
  const text = writeLock(lock)
  t.ok(text.indexOf('contacts:') < text.indexOf('tides:'))
  t.strictSame(new Map([...readLock(text)].reverse()), lock)
  t.equal(writeLock(readLock(text)), text)
  t.equal(readLock('').size, 0)
  t.equal(readLock(writeLock(new Map())).size, 0)
})

t.test('an entry that says too little, or too much, is refused with its line', async (t) => {
  const entry = `  version: 1.0.0\n  integrity: ${SHA}\n  tree: ${SHA}\n`
  t.equal(readLock(`contacts:\n${entry}`).size, 1)
  const refused = (text: string, says: RegExp) => t.throws(() => readLock(text), { message: says }, text)
  refused('[a]', /must be a map/)
  refused(`contacts:\n${entry}  main: a\n`, /"main"/)
  refused(`contacts:\n${entry}  signer: me\n`, /no key/)
  refused(`contacts:\n  version: 1.0.0\n  tree: ${SHA}\n`, /sha512 of the package/)
  refused(`contacts:\n  integrity: ${SHA}\n  tree: ${SHA}\n`, /no version/)
  refused(`../contacts:\n${entry}`, /not of a module/)
  refused(`__proto__:\n${entry}`, /not allowed/)
})
