import t from 'tap'
import { fieldsOf } from '#core/types/fields.ts'
import { Answers } from '#features/site/files/asked.ts'
import { fieldsShown } from '#features/site/files/fields.ts'
import { plainTypes } from '#support/types.ts'

const NAMES = Array.from({ length: 30_000 }, (_, n) => `b${n}.jpg`)

/** Counts how often other work runs while this does. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return turns
}

t.test('a record that names very many media files lets other work go on', async (t) => {
  const type = plainTypes({ posts: {} }).get('posts')
  if (!type) throw new Error('There is no such type.')
  const fields = fieldsOf({ pics: { type: 'media', multiple: true }, links: { type: 'url', multiple: true } })
  const place = {
    base: '',
    page: '/x',
    folders: [],
    folder: 'posts',
    pageOf: () => undefined,
    pageAt: () => undefined,
    pageNamed: () => undefined,
    fileAt: () => undefined,
  }
  const mediaAt = async (path: string) => (path === 'b7.jpg' ? '/media/b7.jpg' : undefined)
  let shown: Readonly<Record<string, unknown>> = {}
  const turns = await turnsDuring(async () => {
    shown = await fieldsShown({ fields: { pics: NAMES, links: NAMES } }, { ...type, fields }, place, mediaAt)
  })
  t.ok(turns > 1, `${turns}`)
  t.same((shown.pics as string[]).slice(6, 8), ['b6.jpg', '/media/b7.jpg'])
  const store = { head: async () => undefined }
  const answers = new Answers({ store, siteFiles: { find: async () => undefined } } as never)
  const asked = NAMES.map((name) => [`media ${name}`, null] as const)
  t.ok((await turnsDuring(() => answers.areStill(asked, {} as never))) > 1)
})
