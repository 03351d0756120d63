import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import threads from 'node:worker_threads'
import t from 'tap'
import { type Body, Writer } from '#features/site/building/out-writer.ts'
import type { Refused, Taken } from '#features/site/building/out-writing.ts'
import { twinText } from '#features/site/pages/twin.ts'
import { replaceIn } from '#support/builtins.ts'
import { longTest } from '#support/long.ts'

const MEGABYTE = 1024 * 1024
const TWIN = { title: 'A *title*', html: '<p>A <a href="/b">link</a>.</p>', canonical: 'https://example.org/a' }

interface Place {
  readonly path: string
  readonly made: string
}

function scratch(t: { teardown(end: () => void): unknown }, there: Record<string, string> = {}): Place {
  const root = mkdtempSync(join(tmpdir(), 'quire-writer-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  const place = { path: join(root, 'public'), made: join(root, 'made') }
  mkdirSync(place.path)
  for (const [file, text] of Object.entries(there)) {
    mkdirSync(dirname(join(place.path, file)), { recursive: true })
    writeFileSync(join(place.path, file), text)
  }
  return place
}

/** Writes files, and then, when a thread has begun where one does, so many times the others. */
async function written(t: { teardown(end: () => void): unknown }, place: Place, few: number, files: [string, Body][]) {
  const writer = new Writer(place.path, place.made, few)
  t.teardown(() => writer.close())
  const taken = new Map<string, Taken | Refused>()
  const put = ([file, body]: [string, Body]) => writer.put(file, body, (of) => taken.set(file, of))
  put(['first.html', 'first'])
  let first = taken.size
  // It is started by the first file, and takes over some time later.
  for (let n = 0; few === 1 && taken.size === first; n++) {
    first = taken.size + 1
    await writer.room()
    await new Promise(setImmediate)
    put([`more/${n}.html`, 'more'])
  }
  for (const file of files) {
    put(file)
    await writer.room()
  }
  await writer.settled()
  return taken
}

function described(taken: Taken | Refused | undefined): object | undefined {
  if (!taken || 'message' in taken) return taken && { refused: taken.message, code: taken.code }
  return { isSame: taken.isSame, print: taken.print, end: taken.stamp?.slice(-27), size: taken.stamp?.split(':')[0] }
}

function bytesOf(body: Body): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : twinText(body))
}

longTest('a thread takes in files as they are taken in here', async (t) => {
  const files: [string, Body][] = [
    ['same.html', 'the same'],
    ['other.html', 'another'],
    ['deep/er/empty.html', ''],
    ['ä/ö.html', '→ ein Text, 書'],
    ['bytes.bin', Buffer.from([0, 255, 128])],
    ['large.html', 'é'.repeat(MEGABYTE)],
    ...Array.from({ length: 300 }, (_, n): [string, Body] => [`p/${n % 20}/${n}.html`, `${n} `.repeat(n * 5)]),
    ['exact.html', 'x'.repeat(MEGABYTE)],
    ...Array.from({ length: 5 }, (_, n): [string, Body] => [
      `long/${n}.md`,
      { ...TWIN, html: `<p>${'word '.repeat(50_000)}</p>` },
    ]),
    ['a.md', TWIN],
    ['folder.html', 'where a folder is'],
    ['file.html/index.html', 'where a file is'],
    ['linked/index.html', 'where a link leads elsewhere'],
    ['last.html', 'last'],
  ]
  const there = { 'same.html': 'the same', 'other.html': 'one', 'folder.html/x': '', 'file.html': '' }
  const results: (object | undefined)[][] = []
  for (const few of [1, Number.POSITIVE_INFINITY]) {
    const place = scratch(t, there)
    symlinkSync(place.path, join(place.path, 'linked'))
    const taken = await written(t, place, few, files)
    results.push(files.map(([file]) => described(taken.get(file))))
    const wrong = files.filter(([file, body]) => {
      const [of, path] = [taken.get(file), join(place.made, file)]
      const isThere = of && 'print' in of && !of.isSame
      return isThere ? !readFileSync(path).equals(bytesOf(body)) : existsSync(path)
    })
    t.same(wrong, [])
  }
  t.same(results[0], results[1])
  t.match(results[0]?.slice(0, 2), [{ isSame: true }, { isSame: false }])
  t.match(results[0]?.slice(-4), [{ refused: /folder/ }, { refused: /file/ }, { refused: /link/ }, { isSame: false }])
})

t.test('a disk that fails is said with its code', async (t) => {
  const place = scratch(t)
  writeFileSync(place.made, '')
  const taken = await written(t, place, 1, [['a.html', 'a']])
  t.match(taken.get('a.html'), { code: /^E(?:EXIST|NOTDIR)$/ })
})

t.test('a thread that ends before its time fails the build', async (t) => {
  const { Worker } = threads
  class Dying extends Worker {
    override postMessage(): void {
      void this.terminate()
    }
  }
  replaceIn(t, threads, { Worker: Dying })
  await t.rejects(written(t, scratch(t), 1, [['a.html', 'a']]), {
    message: 'The thread that writes the site ended before its time.',
  })
})

t.test('where no thread can be started all is written here', async (t) => {
  const { Worker } = threads
  class Missing extends Worker {
    constructor(file: URL, options: object) {
      super(new URL('none.js', file), options)
    }
  }
  replaceIn(t, threads, { Worker: Missing })
  const place = scratch(t)
  const writer = new Writer(place.path, place.made, 1)
  const taken: unknown[] = []
  writer.put('a.html', 'a', (of) => taken.push(of))
  await writer.room()
  t.ok(writer.isAway)
  while (writer.isAway) await new Promise(setImmediate)
  writer.put('b.html', 'b', (of) => taken.push(of))
  await writer.settled()
  t.match(taken, [{ isSame: false }, { isSame: false }])
})
