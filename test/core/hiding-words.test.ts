import t from 'tap'
import { readDocument } from '#core/format/read.ts'
import { keyOf } from '#core/key.ts'
import { urlOf } from '#core/permalink.ts'
import { hidingKeys, unheededKeys } from '#frontmatter/hiding-words.ts'
import { isUnlisted } from '#frontmatter/other-tools.ts'
import type { Json } from '#lib/json.ts'
import { plainTypes } from '#support/types.ts'
import { md } from './shape.ts'

const place = keyOf('posts', 'x')
const posts = plainTypes().get('posts')

t.test('a word that is not warned of as one that Quire does not know hides the text in any letters', async (t) => {
  if (!posts) throw new Error('There is no type posts.')
  const now = Date.parse('2026-11-20T12:00:00Z')
  const words: [string, Json][] = [
    ...['permalink', 'sitemap'].map((key): [string, Json] => [key, false]),
    ...['headless', 'hidden', 'unlisted', 'draft'].map((key): [string, Json] => [key, true]),
    ...['render', 'list'].map((key): [string, Json] => ['build', { [key]: 'never' }]),
    ...[['sitemap', { disable: true }] as [string, Json], ['permalink', { build: false }] as [string, Json]],
  ]
  const letters = [
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => text[0]?.toUpperCase() + text.slice(1),
    (text: string) => `${text}\u00a0`,
  ]
  const within = (value: Json, write: (text: string) => string) =>
    value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [write(key), one]))
      : value
  for (const [key, value] of words) {
    for (const write of letters) {
      const data = { [write(key)]: within(value, write) }
      const text = JSON.stringify(data)
      t.strictSame([hidingKeys(data, now), unheededKeys(data, now)], [[write(key)], []], text)
      const { fields } = readDocument(place, posts, Buffer.from(`---\n${text}\n---\n`), md, 'content/posts/x.md')
      const isHidden = fields.status === 'draft' || isUnlisted(fields) || urlOf(posts, { key: place, fields }) === null
      t.ok(isHidden, text)
    }
  }
})

t.test('a word of other tools that hides a text is known, and not where it says no', (t) => {
  const now = Date.parse('2026-11-20T12:00:00Z')
  const data: Record<string, Json> = {
    ...{ subscriber_only: true, onlyMembers: 'yes', nodeploy: 1, restricted_to: 'members', locked: true, expired: 'on' },
    ...{ audience: 'members', tier: 'paid', permission: ['private'], acl: 'private', release: '2099-01-01' },
    ...{ params: { private: true } },
  }
  t.strictSame(unheededKeys(data, now), Object.keys(data))
  const open: Record<string, Json> = {
    ...{ subscriber_only: false, nodeploy: 'no', locked: 'Louis', expired: false, audience: 'everyone', tier: 'free' },
    ...{ permission: 'CC BY', release: '2001-01-01', params: { private: false, locked: ['a'] } },
  }
  t.strictSame(unheededKeys(open, now), [])
  t.end()
})
