import t from 'tap'
import { HOW_TO_BEGIN, LANGUAGE_NAMES, LANGUAGES } from '#frontmatter/languages.ts'
import { readMatter } from '#frontmatter/matter.ts'
import { headSize, split } from '#frontmatter/split.ts'

/** One text in each language, with the edit that is to be seen and what it makes. */
const TEXTS = {
  yaml: { text: 'title: One # why\nn: 1\n', edited: 'title: Two # why\nadded: x\n', comments: ['# why'] },
  toml: { text: 'title = "One" # why\nn = 1\n', edited: 'title = "Two" # why\nadded = "x"\n', comments: ['# why'] },
  json: {
    text: '{\n  "title": "One",\n  "n": 1\n}\n',
    edited: '{\n  "title": "Two",\n  "added": "x"\n}\n',
    comments: [],
  },
} as const satisfies Record<keyof typeof LANGUAGES, unknown>

t.test('each language is found by its line, read, edited and read again', async (t) => {
  for (const language of LANGUAGE_NAMES) {
    const { open, close, quick, read, splice, comments } = LANGUAGES[language]
    const { text, edited, comments: wanted } = TEXTS[language]
    const bytes = Buffer.from(`${open}\n${text}${close}\n\nBody\n`)
    const { syntax, headStart, headEnd, bodyStart } = split(bytes, { extension: 'md' })
    t.equal(syntax, language)
    t.equal(bytes.toString('utf8', headStart, headEnd), text)
    t.equal(bytes.toString('utf8', bodyStart), 'Body\n')
    const data = { title: 'One', n: 1 }
    t.strictSame([read(text), readMatter(text, language), quick(text) ?? data], [data, data, data])
    const edits = new Map([
      ['n', undefined],
      ['title', 'Two'],
      ['added', 'x'],
    ])
    t.equal(splice(text, data, edits, '\n'), edited)
    t.strictSame(read(edited), { title: 'Two', added: 'x' })
    t.strictSame(comments(text), wanted)
    t.throws(() => split(Buffer.from(`${open}\n${text}`), { extension: 'md' }), {
      message: 'The front matter is not ended.',
      hint: `Add a line with ${close} alone after its last key.`,
    })
  }
})

t.test('the remedy names every language', async (t) => {
  t.equal(HOW_TO_BEGIN, 'Begin with --- (YAML), +++ (TOML) or ---json.')
  for (const opening of ['---xml', '+++js', '---toml']) {
    t.throws(() => split(Buffer.from(`${opening}\na\n---\n`), { extension: 'md' }), {
      message: /does not open front matter/,
      hint: HOW_TO_BEGIN,
    })
  }
})

t.test('the size of front matter is estimated as it is found', async (t) => {
  for (const language of LANGUAGE_NAMES) {
    const { open, close } = LANGUAGES[language]
    for (const mark of ['', '\ufeff']) {
      const bytes = Buffer.from(`${mark}${open}\n${TEXTS[language].text}${close}\nBody\n`)
      t.equal(headSize(bytes, { extension: 'md' }), split(bytes, { extension: 'md' }).headEnd - 1, language)
    }
  }
  t.equal(headSize(Buffer.from('Body\n---\n'), { extension: 'md' }), 0)
  t.equal(headSize(Buffer.from('a: 1\n'), { extension: 'yaml' }), 5)
})
