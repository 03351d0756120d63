import fc from 'fast-check'
import t from 'tap'
import { asciiSlug, slugify } from '#lib/text/slug.ts'

t.test('Latin, Greek and Cyrillic become ASCII', async (t) => {
  t.equal(slugify('Crème brûlée, Straße'), 'creme-brulee-strasse')
  t.equal(slugify('Привет Αθήνα'), 'privet-athina')
  t.equal(slugify("It's here"), 'its-here')
  t.equal(slugify('e\u0301te\u0301'), 'ete', 'decomposed')
  t.equal(slugify('２０２０ Ａ'), '2020-a', 'wide forms')
})

t.test('letters and digits of other scripts stay', async (t) => {
  t.equal(slugify('日本語のタイトル'), '日本語のタイトル')
  t.equal(slugify('日本・東京'), '日本-東京')
  t.equal(slugify('مرحبا بالعالم ١٢٣'), 'مرحبا-بالعالم-١٢٣')
  t.equal(slugify('สวัสดีชาวโลก'), 'สวัสดีชาวโลก')
  t.equal(slugify('नमस्ते, दुनिया'), 'नमस्ते-दुनिया')
  t.equal(slugify('한국어 and English'), '한국어-and-english')
  t.equal(slugify('می\u200cخواهم'), 'میخواهم', 'joiners show nothing')
})

t.test('signs that tell names apart are words', async (t) => {
  t.same(
    ['C', 'C++', 'C#', 'R&D', 'me@home', '100%'].map((name) => slugify(name)),
    ['c', 'c-plus-plus', 'c-sharp', 'r-and-d', 'me-at-home', '100-percent'],
  )
  t.equal(slugify('!!!'), '')
})

t.test('it is cut at a word', async (t) => {
  t.equal(slugify('one two three', 9), 'one-two')
  t.equal(slugify('x'.repeat(300)).length, 100)
  t.equal(slugify('𠮷'.repeat(60), 5), '𠮷𠮷', 'never within a character')
})

t.test('a slug is the slug of itself, and has no sign but the dash', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: 120 }), (text, max) => {
      const slug = slugify(text, max)
      return slug.length <= max && slugify(slug, max) === slug && /^(?:[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*)?$/u.test(slug)
    }),
  )
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => /^[a-z0-9-]*$/.test(asciiSlug(text))))
})
