import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { withFirstPicture } from '#features/site/pictures/picture-html.ts'
import { eachStore } from '#support/stores.ts'
import { BESIDE, by, FILES, picturesIn, siteOf, types } from './fixtures/pictures.ts'

function withoutVersions(text: string | undefined): string | undefined {
  return text?.replace(/\?v=[0-9a-f]{10}/g, '?v')
}

t.test('a picture in a text has its size, its smaller forms and what is said of it', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const { store } = opened
    const { html, app } = siteOf(t, opened)
    const shown = async (body: string) => {
      await store.write([{ key: keyOf('posts', 'x'), put: { set: { title: 'X', slug: 'x', status: 'published' }, body } }], by)
      return picturesIn(await html('/posts/x'))
    }
    const [wide = {}, again = {}] = await shown('![](/media/wide.jpg)\n\n![Mine](../media/wide.jpg "T")')
    t.same(
      { ...wide, srcset: withoutVersions(wide.srcset) },
      {
        ...{ src: '/media/wide.jpg', fetchpriority: 'high', decoding: 'async', width: '900', height: '600' },
        srcset: '/media/_w320/wide.jpg.webp?v 320w, /media/_w640/wide.jpg.webp?v 640w, /media/_w1280/wide.jpg.webp?v 900w',
        ...{ sizes: '(max-width: 48rem) 100vw, 48rem', alt: 'Tom &amp; &quot;Ada&quot;' },
      },
    )
    t.match(again, { src: '/media/wide.jpg', alt: 'Mine', loading: 'lazy', decoding: 'async', srcset: wide.srcset })
    t.notOk('fetchpriority' in again, 'the first one alone is fetched at once')
    for (const [address] of wide.srcset?.matchAll(/\/media\S+/g) ?? []) {
      const { status, headers } = await app.bare(`GET ${address}`)
      t.match([status, headers], [200, { 'content-type': 'image/webp', 'cache-control': /immutable/ }], address)
    }
    t.match(await shown('![](/media/turned.jpg)'), [{ width: '600', height: '900', alt: '', srcset: / 600w$/ }])
    const [small, gif, svg, broken, gone] = await shown(
      ['small.png', 'moving.gif', 'line.svg', 'broken.jpg', 'gone.png'].map((name) => `![](/media/${name})`).join(' '),
    )
    t.match(small, { width: '100', height: '50', srcset: undefined, sizes: undefined }, 'one that is small is whole already')
    t.match(gif, { width: '500', height: '400', srcset: undefined, loading: 'lazy' })
    t.match(svg, { width: '40', height: '30', srcset: undefined })
    for (const one of [broken, gone]) t.match(one, { src: /media/, alt: '', width: undefined, srcset: undefined })
    t.match(picturesIn(await html('/posts/trip')), [
      { src: '/posts/trip/cat.png', alt: 'A cat', width: '700', height: '350', srcset: undefined },
      { src: '/logo.webp', alt: '', width: '70', height: '30', srcset: undefined },
    ])
  }),
)

t.test('what a text says of a picture stays', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const body = [
      '`<img src="/media/wide.jpg" loading="lazy" decoding="async">`',
      '<img src="/media/wide.jpg" alt="" width="90">',
      '<img src="/media/wide.jpg" srcset="/media/small.png 2x" height="60" sizes="10vw" decoding="sync">',
      '<img src="https://example.org/media/_w320x320/wide.jpg.jpeg?x=1">',
      '<img src="https://elsewhere.example/media/wide.jpg">',
      '<img src="/media/wide.jpg" srcset="a b, javascript:alert(1) 1x">',
    ]
    const { store } = opened
    const text = body.join('\n\n')
    await store.write(
      [{ key: keyOf('posts', 'x'), put: { set: { title: 'X', slug: 'x', status: 'published' }, body: text } }],
      by,
    )
    const { html } = siteOf(t, opened)
    const page = await html('/posts/x')
    const [icon, own, form, elsewhere, odd, ...more] = picturesIn(page)
    t.match(icon, { alt: '', width: '90', height: '60', sizes: '(max-width: 90px) 100vw, 90px', srcset: /^\S+ 320w$/ })
    t.match(own, { srcset: '/media/small.png 2x', sizes: '10vw', width: '90', height: '60', decoding: 'sync', alt: /Tom/ })
    t.match(form, { width: '320', height: '320', srcset: undefined, alt: /Tom/ }, 'a smaller form that was chosen')
    t.match(elsewhere, { alt: '', width: undefined, srcset: undefined, loading: 'lazy' })
    t.match(odd, { srcset: /^\/media\/_w320\// }, 'nothing that is no picture is in a list of them')
    t.same(more, [])
    t.match(page, '<code>&lt;img src="/media/wide.jpg" loading="lazy" decoding="async"&gt;</code>')
    t.match(page, /width="90"[^>]* fetchpriority="high"/)
  }),
)

t.test('templates show pictures as they ask for them', (t) => {
  const asked = [
    '{{ record.fields.cover | image }}',
    '{{ record.fields.cover | image: width: 300, height: 100, sizes: "30vw", class: "a\'b", alt: "<" }}',
    '{{ record.fields.cover | image: width: 300, format: "png", loading: "eager" }}',
    '{{ "/posts/trip/cat.png" | image: width: 70 }}',
    '{{ "wide.jpg" | image: height: 60 }}',
    '{{ record.fields.none | image }}',
    '{{ "https://elsewhere.example/x.png" | image: width: 5 }}',
    '{{ "![](/media/small.png)" | markdown }}',
  ]
  const templates = { 'templates/site/record.liquid': asked.join('@@@') }
  return eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const { html, site, folder } = siteOf(t, opened, { templates })
    const parts = (await html('/posts/one')).split('@@@')
    const [cover, cut, other, beside, named, none, elsewhere, markdown] = parts.map((part) => picturesIn(part)[0])
    t.match(cover, { fetchpriority: 'high', width: '900', height: '600', alt: /Tom/, srcset: / 900w$/ })
    t.match(cut, { class: 'a&#39;b', alt: '&lt;', width: '300', height: '100', sizes: '30vw', loading: 'lazy' })
    t.match(cut?.src, /^\/media\/_w320x107\/wide\.jpg\.jpeg\?v=/)
    t.equal(withoutVersions(cut?.srcset), '/media/_w320x107/wide.jpg.webp?v 320w, /media/_w640x213/wide.jpg.webp?v 640w')
    t.match(other, { width: '300', height: '200', loading: undefined, sizes: '(max-width: 300px) 100vw, 300px' })
    t.match(withoutVersions(other?.srcset), '/media/_w320/wide.jpg.png?v 320w, /media/_w640/wide.jpg.png?v 640w')
    t.match(beside, { src: '/posts/trip/cat.png', width: '70', height: '35', srcset: undefined })
    t.match(named, { src: '/media/wide.jpg', width: '90', height: '60' })
    t.equal(none, undefined)
    t.match(elsewhere, { src: 'https://elsewhere.example/x.png', width: '5', height: undefined })
    t.match(markdown, { width: '100', height: '50' })
    await site.build('public')
    t.equal(readFileSync(folder.path('public/posts/one/index.html'), 'utf8'), await html('/posts/one'), 'as in a built site')
    const small = await sharp(readFileSync(folder.path('public/media/_w320x107/wide.jpg.webp'))).metadata()
    t.match(small, { width: 320, height: 107 })
  })
})

t.test('a picture that a template asks for and that is not there is named, and its page is made', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const templates = { 'templates/site/record.liquid': 'a\n{{ "/media/none.jpg" | image }}{{ page.title }}' }
    const { site, folder } = siteOf(t, opened, { templates, kept: t.testdir() })
    for (const _ of ['at first', 'again']) {
      const { problems } = await site.build('public')
      t.match(
        problems.filter(({ message }) => message.includes('none.jpg')),
        [
          {
            file: /templates\/site\/record\.liquid$/,
            line: 2,
            message: /page \/posts\/\w+ is made without it/,
            severity: 'warning',
          },
        ],
      )
      t.equal(readFileSync(folder.path('public/posts/three/index.html'), 'utf8'), 'a\nThree')
    }
    folder.write('templates/site/record.liquid', '{{ "/media/wide.jpg" | image: depth: 5 }}')
    opened.clock.advance(2_000)
    const { problems } = await site.build('public')
    t.match(problems, [{ message: /"image" knows no "depth"/, severity: 'error', line: 1 }])
  }),
)

t.test('feeds have pictures whole, with their whole addresses', (t) =>
  eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const { html } = siteOf(t, opened, { templates: { 'templates/shortcodes/shown.liquid': '{{ args[0] | image }}' } })
    const body = '{{< shown "/media/wide.jpg" >}} ![](/media/wide.jpg)'
    const { store } = opened
    await store.write([{ key: keyOf('posts', 'two'), put: { body } }], by)
    t.equal(picturesIn(await html('/posts/two')).filter(({ srcset }) => srcset).length, 2)
    const feed = JSON.parse(await html('/posts/feed.json'))
    const texts = feed.items.map((item: { content_html: string }) => item.content_html).join('')
    const pictures = picturesIn(texts)
    t.equal(pictures.length, 5)
    for (const one of pictures) t.match(one, { src: /^https:\/\/example\.org\//, width: /\d/, height: /\d/, srcset: undefined })
    t.ok(pictures.some(({ alt }) => alt === 'Tom &amp; &quot;Ada&quot;'))
  }),
)

t.test('a text full of the signs of pictures has its first picture found', (t) => {
  const signs = ' loading="lazy" decoding="async"'.repeat(50_000)
  t.equal(withFirstPicture(`<p>${signs}`), `<p>${signs}`)
  t.match(
    withFirstPicture(`<p>${signs}<img src="/a.png" loading="lazy" decoding="async">`),
    /<img src="\/a.png" fetchpriority="high"/,
  )
  t.end()
})
