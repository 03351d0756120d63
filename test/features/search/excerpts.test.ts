import t, { type Test } from 'tap'
import type { ExcerptQuestion } from '#features/search/excerpt-maker.ts'
import { Excerpts } from '#features/search/excerpts.ts'

const NAMES = ['posts/light', 'posts/fog']
const QUESTION = { stems: ['lamp'], names: NAMES, versions: ['one', 'one'] }
const WRITTEN = [
  { texts: ['The *lamp* burns.', 'All <b>night</b> & day.'], goesOn: false },
  { texts: ['Fog hides it.'], goesOn: true },
]
const EXCERPTS = ['The <mark>lamp</mark> burns. All night &amp; day.', 'Fog hides it.…']

/** Excerpts whose questions go to a thread at once, when it has begun. */
async function threaded(t: Test, folder: string | undefined): Promise<Excerpts> {
  const excerpts = new Excerpts('en', folder, 0)
  t.teardown(() => excerpts.close())
  // Known in place alone: the thread answers from when it knows nothing of it.
  const asked: ExcerptQuestion = { stems: [], names: ['begun'], versions: ['one'] }
  await excerpts.answer({ ...asked, written: [{ texts: [''], goesOn: false }] })
  while ((await excerpts.answer(asked))[0] !== undefined) await new Promise(setImmediate)
  return excerpts
}

t.test('a text is read once a version, in place and in the thread alike', async (t) => {
  for (const folder of [undefined, t.testdir()]) {
    const here = new Excerpts('en', folder)
    t.teardown(() => here.close())
    for (const excerpts of [here, await threaded(t, folder)]) {
      t.strictSame(await excerpts.answer(QUESTION), [undefined, undefined], 'nothing is known yet')
      t.strictSame(await excerpts.answer({ ...QUESTION, written: WRITTEN }), EXCERPTS)
      t.strictSame(await excerpts.answer(QUESTION), EXCERPTS)
      t.strictSame(await excerpts.answer({ ...QUESTION, versions: ['two', 'one'] }), [undefined, EXCERPTS[1]])
      t.strictSame(await excerpts.answer({ ...QUESTION, stems: ['fog'], names: ['posts/fog'] }), ['<mark>Fog</mark> hides it.…'])
    }
  }
})

t.test('closed, it says that it can’t answer', async (t) => {
  const excerpts = await threaded(t, undefined)
  const waits = t.rejects(excerpts.answer(QUESTION), { status: 503 })
  excerpts.close()
  await waits
})
