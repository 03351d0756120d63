import t from 'tap'
import { html } from './rendered.ts'

t.test('alerts and containers', async (t) => {
  t.equal(
    html('> [!NOTE]\n> A *b*\n\n> [!tip]- Mine\n> c'),
    '<div class="box box-note">\n<p class="box-title">Note</p>\n<p>A <em>b</em></p>\n</div>\n<details class="box box-tip">\n<summary class="box-title">Mine</summary>\n<p>c</p>\n</details>\n',
  )
  t.match(html('> [!unknown]\n> a'), /^<blockquote>\n<p>\[!unknown\]/)
  t.equal(
    html(':::warning Look *out*\na\n\n::::details\nb\n::::\n:::tip\nd\n:::\n:::\nc'),
    '<div class="box box-warning">\n<p class="box-title">Look <em>out</em></p>\n<p>a</p>\n<details class="box box-details">\n<summary class="box-title">Details</summary>\n<p>b</p>\n</details>\n<div class="box box-tip">\n<p class="box-title">Tip</p>\n<p>d</p>\n</div>\n</div>\n<p>c</p>\n',
  )
  t.match(html('::::note\n:::tip\na\n:::\n:::tip\nb\n::::\nc'), /<\/div>\n<div class="box box-tip">[\s\S]*<\/div>\n<\/div>\n<p>c/)
  t.match(html(':::note[In brackets]{a="b"}\na\n:::'), '<p class="box-title">In brackets</p>')
  t.match(html('::: {.tip}\na\n:::'), '<div class="box box-tip">')
  t.equal(html(':::columns\na\n:::'), '<div>\n<p>a</p>\n</div>\n', 'one that is not known has its text')
  t.match(
    html(':::note\n```\n:::\n```\nb\n:::\nc'),
    /<code>:::\n<\/code><\/pre>\n<p>b<\/p>\n<\/div>\n<p>c<\/p>/,
    'code ends none',
  )
  t.match(html(':::constructor\na\n:::'), '<div>\n<p>a')
})
