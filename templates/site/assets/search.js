// The search page: shows its form, and what is found while a person types.
const form = document.querySelector('form.search')
const input = form.elements.namedItem('q')
const list = document.querySelector('#results')
const status = document.querySelector('.found')
const browse = document.querySelector('.browse')
const MOST = 20

let opened
let turn = 0

form.hidden = false
input.value = new URLSearchParams(location.search).get('q') ?? ''
input.focus()
input.addEventListener('input', show)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  show()
})
show()

async function show() {
  const mine = ++turn
  const text = input.value.trim()
  remember(text)
  if (text === '') return print(undefined)
  try {
    opened ??= start()
    const { index, pieces } = await opened
    if (mine === turn) print(index.find(input.value, MOST), pieces)
  } catch {
    // What could not be fetched is fetched again when the next letter is typed.
    opened = undefined
    if (mine === turn) print(undefined, undefined, form.dataset.failed)
  }
}

async function start() {
  const { open, pieces } = await import(form.dataset.module)
  return { index: await open(), pieces }
}

/** The address says what was searched for, so that it can be kept and sent. */
function remember(text) {
  const url = new URL(location.href)
  if (text === '') url.searchParams.delete('q')
  else url.searchParams.set('q', text)
  if (url.href !== location.href) history.replaceState(null, '', url)
}

function print(found, pieces, says = '') {
  browse.hidden = found !== undefined && found.total > 0
  list.hidden = !browse.hidden
  list.replaceChildren(...(found?.pages ?? []).map((page) => entry(page, found.stems, pieces)))
  status.textContent = found === undefined ? says : counted(found.total)
}

function counted(total) {
  if (total === 0) return form.dataset.none
  const pages = counting(form.dataset.found, total)
  return total > MOST ? `${pages}; ${counting(form.dataset.first, MOST)}.` : pages
}

/** The words for a number, in the language of the page. */
function counting(forms, count) {
  const { lang } = document.documentElement
  const known = JSON.parse(forms)
  const words = known[new Intl.PluralRules(lang).select(count)] ?? known.other
  return words.replace('{count}', new Intl.NumberFormat(lang).format(count))
}

function entry({ title, url, excerpt }, stems, pieces) {
  const link = element('a', pieces(title, stems))
  link.href = url
  const heading = document.createElement('h2')
  heading.append(link)
  const article = document.createElement('article')
  article.className = 'entry'
  article.append(heading)
  if (excerpt !== '') article.append(element('p', pieces(excerpt, stems)))
  const item = document.createElement('li')
  item.append(article)
  return item
}

function element(name, parts) {
  const made = document.createElement(name)
  for (const { text, marked } of parts) {
    const part = marked ? document.createElement('mark') : undefined
    if (part) part.textContent = text
    made.append(part ?? text)
  }
  return made
}
