import t from 'tap'
import { html } from './rendered.ts'

const pre = '<pre tabindex="0" role="group" aria-label="Code">'

t.test('code has colours by classes, in its language', async (t) => {
  t.equal(
    html('```js {1,3}\nconst a = "<b>" // c\n```'),
    `${pre}<code class="language-js"><span class="hljs-keyword">const</span> a = <span class="hljs-string">&quot;&lt;b&gt;&quot;</span> <span class="hljs-comment">// c</span>\n</code></pre>\n`,
  )
  t.match(html('~~~{.python}\ndef a(): pass\n~~~'), '<code class="language-python"><span class="hljs-keyword">def</span>')
  for (const info of ['', 'nothing', 'text', 'constructor'])
    t.match(html(`\`\`\`${info}\nconst a = "<b>"\n\`\`\``), />const a = &quot;&lt;b&gt;&quot;\n<\/code>/, info)
  t.equal(html('    const a'), `${pre}<code>const a\n</code></pre>\n`)
})

t.test('code that is too long, or of long lines, has none', async (t) => {
  const code = (text: string) => html(`\`\`\`js\n${text}\n\`\`\`\n`)
  const line = `${'let a\n'.repeat(1000)}`
  t.match(code(line), 'hljs')
  t.notMatch(code(line.repeat(3)), 'hljs')
  t.notMatch(code(`let ${'a'.repeat(300)}`), 'hljs')
  const many = html(`\`\`\`js\n${line.repeat(2)}\`\`\`\n\n`.repeat(8))
  t.equal(many.split('<code class="language-js"><span').length, 6, 'nor what comes after much that has')
})
