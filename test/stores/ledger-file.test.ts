import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { FilesLedger } from '#stores/files/ledger/ledger.ts'
import { replaceIn } from '#support/builtins.ts'
import { TestClock } from '#support/clock.ts'
import { longTest } from '#support/long.ts'
import { makeSite } from '#support/sites.ts'

const LIFE = 60_000
const MB = 1_000_000

async function opened(t: Test) {
  const site = makeSite()
  t.teardown(site.remove)
  const file = site.path('.cms/ledger.log')
  const open = () => FilesLedger.open(file, new TestClock())
  return { file, open, ledger: await open() }
}

/** Changes a text within the file to one of the same length, which the ledger can't see: what it gives then is where it reads. */
function changeInPlace(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to), { flag: 'r+' })
}

/** Makes the file long enough, with what is over, that it is replaced by one with only what lives. */
async function untilReplaced(ledger: FilesLedger, file: string): Promise<void> {
  const before = statSync(file).ino
  for (let n = 0; statSync(file).ino === before && n < 200; n++) await ledger.put('filler', `${n} `.repeat(100_000), LIFE)
  await ledger.take('filler')
}

t.test('a long value is in the file alone', async (t) => {
  const { file, open, ledger } = await opened(t)
  await ledger.put('short', 'before', LIFE)
  await ledger.put('long', 'before '.repeat(1000), LIFE)
  const other = await open()
  changeInPlace(file, 'before', 'behind')
  for (const each of [ledger, other]) {
    t.equal(await each.peek('short'), 'before', 'in memory')
    t.equal(await each.peek('long'), 'behind '.repeat(1000), 'whether it was written or read')
  }
  await untilReplaced(ledger, file)
  changeInPlace(file, 'behind', 'beyond')
  for (const each of [ledger, other]) t.equal(await each.peek('long'), 'beyond '.repeat(1000), 'in the new file too')
  t.equal(await other.take('long'), 'beyond '.repeat(1000))
  t.equal(await ledger.peek('long'), undefined)
})

longTest('lines longer than what is read at once', async (t) => {
  const { file, open, ledger } = await opened(t)
  const values = new Map<string, string>()
  // Characters of three bytes: some are cut where one reading ends.
  for (let n = 0; n < 7; n++) values.set(`long-${n}`, `${n}€`.repeat(n * 400_000 + 7))
  for (let n = 0; n < 7; n++) values.set(`short-${n}`, `${n}é`.repeat(n))
  const same = async (each: FilesLedger, message: string) => {
    for (const [name, value] of values) t.ok((await each.peek(name)) === value, `${name}: ${message}`)
  }
  await Promise.all([...values].map(([name, value]) => ledger.put(name, value, LIFE)))
  await same(ledger, 'where it was written')
  await same(await open(), 'where it is read')
  const other = await open()
  for (const name of ['long-5', 'long-6', 'long-4']) {
    await ledger.take(name)
    values.delete(name)
  }
  await untilReplaced(ledger, file)
  await same(ledger, 'where the file was replaced')
  await same(other, 'where another process had read the file of before')
  await same(await open(), 'where the new file is read')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  t.same(
    lines.map((line) => JSON.parse(line).n).filter((name) => name !== 'filler'),
    [...values.keys()],
  )
})

t.test('a long value whose file another process replaces in between', async (t) => {
  const { file, open, ledger } = await opened(t)
  for (let n = 0; n < 4; n++) await ledger.put(`a${n}`, `${n}`.repeat(10_000), LIFE)
  const other = await open()
  const found: unknown[] = []
  for await (const { name, value } of other.facts()) {
    if (name === 'a0') await untilReplaced(ledger, file)
    found.push([name, String(value).slice(0, 2), String(value).length])
  }
  t.same(
    found,
    [0, 1, 2, 3].map((n) => [`a${n}`, `${n}${n}`, 10_000]),
  )
})

t.test('a long line that was cut short is none', async (t) => {
  const { file, open, ledger } = await opened(t)
  await ledger.put('whole', 'w'.repeat(MB), LIFE)
  appendFileSync(file, `{"n":"whole","v":"${'t'.repeat(5 * MB)}`)
  const other = await open()
  await other.put('after', 'a'.repeat(MB), LIFE)
  for (const each of [ledger, other, await open()]) {
    t.ok((await each.peek('whole')) === 'w'.repeat(MB))
    t.ok((await each.peek('after')) === 'a'.repeat(MB))
  }
})

t.test('a line that lacks but its newline stays none', async (t) => {
  const { file, open, ledger } = await opened(t)
  await ledger.put('kept', 1, LIFE)
  const [kept = ''] = readFileSync(file, 'utf8').split('\n')
  appendFileSync(file, kept.replace('"v":1', '"v":2'))
  await ledger.put('after', 'é', LIFE)
  await ledger.put('long', 'x'.repeat(10_000), LIFE)
  for (const each of [ledger, await open()]) {
    t.equal(await each.peek('kept'), 1, 'whoever reads it')
    t.equal(await each.peek('after'), 'é')
    t.equal(await each.peek('long'), 'x'.repeat(10_000))
  }
})

t.test('a log that can’t be made shorter', async (t) => {
  const { file, open, ledger } = await opened(t)
  await ledger.put('count', 1, LIFE)
  const { open: opening } = promises
  let tries = 0
  replaceIn(t, promises, {
    open: async (...args: Parameters<typeof opening>) => {
      if (!String(args[0]).endsWith('.tmp')) return opening(...args)
      tries++
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    },
  })
  for (let n = 0; n < 20; n++) await ledger.put('filler', `${n} `.repeat(100_000), LIFE)
  t.ok(tries > 0, 'the disk was full')
  t.ok(tries < 6, 'it is not tried at each write')
  t.equal(await ledger.add('count', 1, LIFE), 2, 'nothing that is on the disk is refused')
  t.equal(await (await open()).peek('count'), 2)
  t.ok(statSync(file).size > 5 * MB)
})

longTest('long values that are decided together, and looked at meanwhile', async (t) => {
  const { open, ledger } = await opened(t)
  const long = (letter: string) => letter.repeat(3 * MB)
  const other = await open()
  await ledger.put('once', long('o'), LIFE)
  let isDone = false
  const all = Promise.all([
    ledger.put('a', long('a'), LIFE),
    ledger.take('a'),
    ledger.put('a', long('b'), LIFE),
    ledger.add('once', 1, LIFE),
    ledger.put('once', long('p'), LIFE),
    ledger.take('once'),
    ...Array.from({ length: 5 }, (_, n) => ledger.put(`n${n}`, long(`${n}`), LIFE)),
  ]).finally(() => {
    isDone = true
  })
  while (!isDone) {
    const seen = await ledger.peek('a')
    t.ok(seen === undefined || seen === long('b'), 'all that was decided, or nothing of it')
    await setImmediate()
  }
  const [, a, , sum, , once] = await all
  t.ok(a === long('a') && sum === 1 && once === long('p'))
  for (const each of [ledger, other]) {
    t.ok((await each.peek('a')) === long('b'))
    t.equal(await each.peek('once'), undefined, 'what was taken does not come back')
  }
})

t.test('a file that somebody removed', async (t) => {
  const { file, open, ledger } = await opened(t)
  await ledger.put('long', 'x'.repeat(10_000), LIFE)
  rmSync(file)
  t.equal(await ledger.peek('long'), undefined)
  await ledger.put('new', 'y'.repeat(10_000), LIFE)
  for (const each of [ledger, await open()]) {
    t.equal(await each.peek('new'), 'y'.repeat(10_000))
    t.equal(await each.take('long'), undefined)
  }
})
