import t from 'tap'
import { searchTextOf } from '#core/queries/search-text.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { contentTypes, type TypeInput } from '#core/types/types.ts'
import type { Fields } from '#lib/json.ts'

function typeOf(name: string, types: Readonly<Record<string, TypeInput>> = {}): ContentType {
  const taxonomies = { tags: { singular: 'tag', hierarchical: false }, categories: { singular: 'category', hierarchical: true } }
  const type = contentTypes({ types, taxonomies, statuses: {}, timezone: 'UTC' }).get(name)
  if (!type) throw new Error(`no type ${name}`)
  return type
}

function textOf(type: ContentType, fields: Fields, body = 'The *body*.') {
  return searchTextOf(type, { fields, body })
}

t.test('of a declared type the title, the terms, the body and the fields that hold text can be found', async (t) => {
  const fields = {
    intro: { type: 'text' },
    notes: { type: 'markdown' },
    steps: { type: 'list' },
    box: { type: 'object' },
  } as const
  const posts = typeOf('posts', {
    posts: { fields: { ...fields, home: { type: 'url' }, kind: { type: 'select', options: ['odd'] } } },
  })
  const text = textOf(posts, {
    title: 'Title',
    tags: ['red-fox', 'b'],
    categories: ['animals'],
    intro: 'Intro',
    notes: '**Notes**',
    steps: ['one', 2, 'two'],
    box: { a: 'in it', b: { c: ['deep', null] }, at: '2026-01-01T10:00:00.000Z' },
    home: 'https://example.com/',
    kind: 'odd',
    other: 'not declared',
    author: 'someone',
  })
  t.strictSame(text, {
    title: 'Title',
    tags: ['animals', 'red-fox', 'b'].sort((a, b) => Number(a === 'animals') - Number(b === 'animals')),
    body: ['The *body*.', 'Intro', '**Notes**', 'one', 'two', 'in it', 'deep'],
  })
})

t.test('of a list or an object that says what it holds, the texts are found and not the rest', async (t) => {
  const posts = typeOf('posts', {
    posts: {
      fields: {
        rows: {
          type: 'list',
          of: {
            type: 'object',
            fields: {
              name: { type: 'text' },
              size: { type: 'select', options: ['odd'] },
              maker: { type: 'reference', to: 'authors' },
              lines: { type: 'list', of: { type: 'markdown' } },
              any: { type: 'object' },
            },
          },
        },
        links: { type: 'list', of: { type: 'url' } },
        seo: { type: 'object', fields: { url: { type: 'text' } } },
      },
    },
  })
  const row = { name: 'Leg', size: 'odd', maker: 'ada', lines: ['*one*', 2], any: { a: ['in it'] }, other: 'not declared' }
  const fields = { title: 'T', rows: [row, 'loose', { name: 'Top' }], links: ['somewhere'], seo: { url: 'Words' } }
  t.strictSame(textOf(posts, fields, '').body, ['Leg', '*one*', 'in it', 'loose', 'Top', 'Words'])
})

t.test('of a type without a schema every text can be found that is for readers', async (t) => {
  const fields = {
    title: 'T',
    slug: 's',
    status: 'published',
    layout: 'wide',
    permalink: '/x',
    aliases: ['/old'],
    published_at: '2026-01-01T00:00:00.000Z',
  }
  const texts = {
    description: 'About',
    summary: 'In short',
    cast: ['Ann', 'Bob'],
    link: 'https://a.example',
    since: '2026-01-01',
    photo: '/img/a.png',
    n: 4,
  }
  t.strictSame(textOf(typeOf('films'), { ...fields, ...texts }, '').body, ['About', 'In short', 'Ann', 'Bob'])
})
