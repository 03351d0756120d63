import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { KeptFacts } from '#core/files/kept-facts.ts'
import { FileFacts } from '#core/media/file-facts.ts'
import { MemorySiteFiles } from '#support/memory-site-files.ts'

t.test('facts about files are kept for the next process, and true of their version alone', async (t) => {
  const folder = join(t.testdir(), 'cache')
  const facts = () => new KeptFacts<number>(folder, 'some', 3)
  const first = facts()
  first.set('a', '1', 10)
  first.set('a', '2', 20)
  first.set('b', '1', 30)
  t.same(
    [facts().get('a', '2'), facts().get('a', '1'), facts().get('b', '1'), facts().get('c', '1')],
    [20, undefined, 30, undefined],
  )
  appendFileSync(join(folder, 'some.ndjson'), '["a","3"\nnull\n["c","1",40]\n')
  t.same([facts().get('a', '2'), facts().get('c', '1')], [20, 40], 'a torn line is none')
  for (const name of ['d', 'e', 'f']) first.set(name, '1', 1)
  t.same([facts().get('a', '2'), facts().get('f', '1')], [undefined, 1], 'the last ones stay')
  writeFileSync(join(folder, 'some.ndjson'), `${JSON.stringify(['a', '1', 'x'.repeat(9 * 1024 * 1024)])}\n["a","1",5]\n`)
  t.equal(facts().get('a', '1'), 5)
  t.equal(readFileSync(join(folder, 'some.ndjson'), 'utf8'), '["a","1",5]\n', 'a long file is written anew')
  t.same(readdirSync(folder), ['some.ndjson'])
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  const without = facts()
  without.set('a', '1', 1)
  t.equal(without.get('a', '1'), 1, 'where they can’t be kept they are in memory')
})

t.test('what can’t be read now is read again, what is no picture is not', async (t) => {
  const files = new MemorySiteFiles({ 'static/a.svg': '<svg width="4" height="5"/>', 'static/b.png': 'no picture' })
  let [reads, isAway] = [0, true]
  const facts = new FileFacts({
    find: files.find.bind(files),
    isTaken: files.isTaken.bind(files),
    list: files.list.bind(files),
    recordFolders: files.recordFolders.bind(files),
    open: async (file, range) => {
      reads++
      if (isAway) throw new Error('away')
      return files.open(file, range)
    },
  })
  const measured = async (path: string) => {
    const file = await files.find('static', path)
    return file && (await facts.measures(file))
  }
  t.match(await measured('a.svg'), { width: null })
  isAway = false
  t.match(await measured('a.svg'), { width: 4, height: 5, type: 'svg' })
  t.match(await measured('b.png'), { width: null, type: null })
  const before = reads
  t.match([await measured('a.svg'), await measured('b.png')], [{ width: 4 }, { width: null }])
  t.equal(reads, before)
})
