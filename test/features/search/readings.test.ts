import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ReadingFile } from '#features/search/reading-file.ts'
import { Readings } from '#features/search/readings.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { Reading } from '#fulltext/reading.ts'
import { longTest } from '#support/long.ts'

const english = new Analyser('en')
const text = (n: number) => `${n} lighthouses – ${'and much fog '.repeat(4000)}`.trim()
const readingOf = (n: number) => Reading.of(text(n)).indexed(english)
/** Together more than there is room for in memory, beside a file and alone. */
const MANY = 350

longTest('what there is no room for in memory is read from a file that nobody else can find', async (t) => {
  const folder = join(t.testdir(), 'cache')
  const readings = new Readings(english, folder)
  t.teardown(() => readings.close())
  for (let n = 0; n < MANY; n++) readings.set(`posts/${n}`, 'one', readingOf(n))
  t.equal(statSync(folder).mode & 0o777, 0o700)
  t.strictSame(readdirSync(folder), [])
  for (let n = 0; n < MANY; n++) {
    const reading = readings.get(`posts/${n}`, 'one')
    if (reading?.text !== text(n)) t.fail(`posts/${n}: ${reading?.text.slice(0, 20)}`)
    if (n % 70 !== 0) continue
    const stems: string[] = []
    reading?.find(new Set(['lighthous']), english, (stem) => stems.push(stem))
    t.strictSame(stems, ['lighthous'])
  }
  for (let n = 0; n < MANY; n++) t.equal(readings.get(`posts/${n}`, 'two'), undefined, 'another version is another text')
})

longTest('without a folder, or with one that can’t be written, memory alone is used', async (t) => {
  const directory = t.testdir()
  writeFileSync(join(directory, 'file'), '')
  for (const folder of [undefined, join(directory, 'file', 'cache')]) {
    const readings = new Readings(english, folder)
    for (let n = 0; n < MANY; n++) readings.set(`posts/${n}`, 'one', readingOf(n))
    t.equal(readings.get('posts/0', 'one'), undefined)
    t.equal(readings.get(`posts/${MANY - 1}`, 'one')?.text, text(MANY - 1))
    readings.close()
  }
})

longTest('a text that is asked for again is indexed, also in the file', async (t) => {
  const readings = new Readings(english, t.testdir())
  t.teardown(() => readings.close())
  for (let n = 0; n < MANY; n++) readings.set(`posts/${n}`, 'one', Reading.of(text(n)))
  for (const times of [1, 2]) {
    for (const n of [MANY - 1, 0]) t.ok(readings.get(`posts/${n}`, 'one')?.isIndexed, `${n}, ${times}`)
    for (let n = 1; n < MANY - 1; n++) if (readings.get(`posts/${n}`, 'one')?.text !== text(n)) t.fail(`posts/${n}`)
  }
})

t.test('the file is bounded, and keeps a document once a version', async (t) => {
  const { bytes } = readingOf(1)
  const file = new ReadingFile(t.testdir(), bytes.length * 3)
  const kept = (n: number, version = 'one') => file.get(`posts/${n}`, version)?.text
  for (let times = 0; times < 9; times++) for (const n of [1, 2, 3]) file.set(`posts/${n}`, 'one', readingOf(n))
  t.strictSame(
    [1, 2, 3].map((n) => kept(n)),
    [1, 2, 3].map(text),
  )
  file.set('posts/4', 'one', readingOf(4))
  t.strictSame(
    [1, 2, 3, 4].map((n) => kept(n)),
    [undefined, undefined, undefined, text(4)],
  )
  file.set('posts/4', 'two', readingOf(5))
  t.equal(kept(4, 'two'), text(5))
  t.equal(kept(4), undefined, 'an older version is never answered')
  t.equal(kept(4, 'two'), undefined, 'and what is of a version that is no more is let go')
  file.close()
  file.set('posts/1', 'one', readingOf(1))
  t.equal(kept(1), undefined, 'nothing is kept once it is closed')
})
