import t from 'tap'
import { formOf } from '#support/form.ts'
import { testDatabase } from '#support/postgres.ts'
import { Node } from './nodes.ts'
import { ask, uploadRounds } from './uploads.ts'

/** Number of kills for each place: `npm run test:uploads -- 50` for more. */
const rounds = Number(process.argv[2] ?? 2)
const skip = process.platform === 'linux' ? {} : { skip: 'processes are found in /proc' }

for (const place of ['git', 'plain', 'postgres'] as const) {
  t.test(`a server killed at any moment loses no media that it answered with (${place})`, skip, async (t) => {
    const database = place === 'postgres' ? await testDatabase(t) : undefined
    const { faults, ...found } = await uploadRounds(t, place, rounds, (line) => t.comment(line), database)
    t.comment(JSON.stringify(found))
    t.strictSame(faults, [])
    t.ok(Object.keys(found.answered).length > 0, 'some were answered')
  })
}

t.test('what one node takes, the other serves at once', async (t) => {
  const config = 'storage: { driver: postgres }\nthrottle: { api: off, uploads: off }\n'
  const database = await testDatabase(t)
  const nodes = [new Node(t, config, database), new Node(t, config, database)] as const
  for (const node of nodes) await node.start()
  const token = await nodes[0].token()
  for (let nth = 0; nth < 6; nth++) {
    const [one, other] = nth % 2 === 0 ? nodes : [nodes[1], nodes[0]]
    const at = async (path: string) => ask(other, token, `GET ${path}`)
    const [id, text, changed] = [`n${nth}.txt`, `first ${nth} ${'x'.repeat(300_000)}`, `second ${nth}`]
    const listed = async () => JSON.parse((await at('/api/media?per_page=100')).text).data.map((file: { id: string }) => file.id)
    t.equal((await ask(one, token, 'POST /api/media', formOf(['file', Buffer.from(text), id]))).status, 201)
    t.equal((await at(`/media/${id}`)).text, text)
    t.match(JSON.parse((await at(`/api/media/${id}`)).text).data, { id, size: text.length })
    t.ok((await listed()).includes(id))
    t.equal((await ask(one, token, `PUT /api/media/${id}/file`, formOf(['file', Buffer.from(changed), id]))).status, 200)
    t.equal((await at(`/media/${id}`)).text, changed)
    const body = Buffer.from(JSON.stringify({ id: `moved~${id}` }))
    const move = { body, headers: { 'content-type': 'application/json' } }
    t.equal((await ask(one, token, `POST /api/media/${id}/move`, move)).status, 200)
    t.same([(await at(`/media/${id}`)).status, (await at(`/media/moved/${id}`)).text], [308, changed])
    t.equal((await ask(one, token, `DELETE /api/media/moved~${id}`)).status, 200)
    t.equal((await at(`/media/moved/${id}`)).status, 404)
    t.notOk((await listed()).includes(`moved~${id}`))
  }
})
