import t from 'tap'
import type { Revision } from '#core/history/revision.ts'
import { parseRevisionName, revisionAsOf, revisionNamed, revisionText } from '#core/history/revision-name.ts'
import { wasLive } from '#core/status.ts'

const SECOND = Date.parse('2026-01-01T00:00:00.000Z')
const by = { name: 'Ada', email: 'ada@example.org' }

/** Commits of one second by hand, and one whose clock was behind; newest first. */
const revisions: Revision[] = [
  {
    number: SECOND - 5000,
    at: new Date(SECOND - 5000).toISOString(),
    action: 'updated',
    by,
    message: '',
    commit: 'c'.repeat(40),
  },
  { number: SECOND + 1, at: new Date(SECOND).toISOString(), action: 'external', by, message: '', commit: 'b'.repeat(64) },
  { number: SECOND, at: new Date(SECOND).toISOString(), action: 'external', by, message: '', commit: 'a'.repeat(40) },
]

t.test('a revision is named by its number, its time or its commit', async (t) => {
  const find = (text: string) => {
    const found = revisionNamed(revisions, parseRevisionName('ts', text))
    return found && revisions.indexOf(found)
  }
  t.equal(find(String(SECOND + 1)), 1)
  t.equal(find('2026-01-01T00:00:00Z'), 2)
  t.equal(find('2026-01-01T01:00:00.001+01:00'), 1)
  t.equal(find('C'.repeat(40)), 0)
  t.equal(find('b'.repeat(64)), 1)
  t.equal(find('b'.repeat(40)), undefined)
  t.equal(find(String(SECOND + 2)), undefined)
  t.equal(find('2026-01-01T00:00:01Z'), undefined)
  for (const text of [
    '',
    '1',
    'HEAD',
    '2026-01-01',
    '2026-02-30T00:00:00Z',
    ' 1767225600000',
    '1767225600000\n',
    'g'.repeat(40),
    'a'.repeat(41),
  ]) {
    t.throws(() => parseRevisionName('ts', text), { message: /^The ts must be 13 digits/ }, JSON.stringify(text))
  }
  t.same(revisions.map(revisionText), [SECOND - 5000, SECOND + 1, SECOND].map(String))
})

t.test('as of a time it is the first of the list that is not after it, or just the one named', async (t) => {
  const find = (text: string) => {
    const found = revisionAsOf(revisions, parseRevisionName('at', text))
    return found && revisions.indexOf(found)
  }
  t.equal(find(String(SECOND)), 2, 'its own number, whatever the clocks said')
  t.equal(find('2026-01-02T00:00:00Z'), 0, 'the order is that of the list')
  t.equal(find('a'.repeat(40)), 2)
  t.equal(find('d'.repeat(40)), undefined)
  t.equal(find('2025-01-01T00:00:00Z'), undefined)
  const plain = revisions.slice(1)
  t.equal(revisionAsOf(plain, parseRevisionName('at', '2026-01-01T00:00:00.900Z')), plain[0])
})

t.test('a record was public if it was at any moment of its time', async (t) => {
  const statuses = new Map([
    ['published', { name: 'published', live: true, to: [] }],
    ['draft', { name: 'draft', live: false, to: [] }],
  ])
  const time = (ms: number) => new Date(ms).toISOString()
  const cases: [object, boolean][] = [
    [{ status: 'published' }, true],
    [{ status: 'draft' }, false],
    [{}, false],
    [{ status: 'published', published_at: time(1500) }, true],
    [{ status: 'published', published_at: time(2000) }, false],
    [{ status: 'published', expires_at: time(1000) }, false],
    [{ status: 'published', expires_at: time(1001) }, true],
    [{ status: 'published', published_at: time(1500), expires_at: time(1400) }, false],
  ]
  for (const [fields, wanted] of cases) {
    t.equal(wasLive(fields as Record<string, string>, statuses, { from: 1000, until: 2000 }), wanted, JSON.stringify(fields))
  }
  t.equal(wasLive({ status: 'published' }, statuses, { from: 2000, until: 1000 }), true, 'clocks may differ')
})
