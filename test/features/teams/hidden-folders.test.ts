import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { Answered } from '#support/app.ts'
import { NONE, teamSite } from '#support/team-site.ts'

const FOLDER = 'draftnotes'
const BY = { name: 'Writer', email: 'writer@example.org' }
const READS = ['', '?include=note', '?page=0', '/one', '/one?include=note', '/one?at=x', '/one/revisions']
const WRITES = ['PUT /one', 'PATCH /one', 'DELETE /one', 'POST /one/move', 'POST /one/rollback/x', 'POST ', 'POST /actions']

t.test('a folder of drafts alone is as one that is not there, for who does not see them', (t) =>
  teamSite(t, async (t, { app, opened }) => {
    const viewer = await app.features.users.create({ email: 'viewer@example.org', name: 'viewer', role: 'viewer' }, BY)
    await opened.store.write([{ key: keyOf(FOLDER, 'one'), put: { set: { title: 'One', status: 'draft' } } }], BY)
    const answersOf = async (type: string): Promise<object[]> => {
      const answers: Answered[] = []
      for (const path of READS) answers.push(await app.askAs(viewer, `GET /api/cms/${type}${path}`))
      for (const write of WRITES) {
        const [method, path] = write.split(' ')
        answers.push(await app.askAs(viewer, `${method} /api/cms/${type}${path}`, { body: { title: 'Two' } }))
      }
      return answers.map(({ status, text }) => ({ status, text: text.replaceAll(type, 'TYPE') }))
    }
    t.strictSame(await answersOf(FOLDER), await answersOf(NONE))
  }),
)
