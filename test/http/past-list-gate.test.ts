import t from 'tap'
import type { Access } from '#core/access/access.ts'
import { PastListGate } from '#http/past/list-gate.ts'

t.test('one list is made at a time, also after one that failed', async (t) => {
  const gate = new PastListGate('menus')
  let end = () => {}
  const first = gate.run(() => new Promise<number>((resolve) => (end = () => resolve(1))))
  await t.rejects(
    gate.run(async () => 2),
    { status: 503, message: /^Another list of past menus is being made/ },
  )
  end()
  t.equal(await first, 1)
  await t.rejects(
    gate.run(async () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
  t.equal(await gate.run(async () => 3), 3)
})

t.test('who may not read drafts is not let in', async (t) => {
  const gate = new PastListGate('menus')
  const access = (right: string) => ({ may: (asked: string) => asked === right }) as unknown as Access
  await t.rejects(
    gate.runFor(access('content:read'), async () => 1),
    { status: 403, message: /content:drafts/ },
  )
  t.equal(await gate.runFor(access('content:drafts'), async () => 1), 1)
})
