import { made } from './elements.ts'
import { uploadFile } from './field-requests.ts'
import { Finder, type FoundGroup } from './finder.ts'
import { speak } from './page-parts.ts'

/** A file to choose, as the list of media answers scripts. */
interface Choice {
  readonly path: string
  readonly filename: string
  readonly thumbnail: string | null
}

/**
 * Serves fields of media (`[data-media]`, the page of all): one is chosen in a dialog, or uploaded from where it is used. Without a
 * script its path is typed.
 */
export function serveMediaFields(page: Document): void {
  page.addEventListener('click', (event) => {
    const { target } = event
    const field = target instanceof Element ? fieldAround(target) : undefined
    if (!field || !(target instanceof Element)) return
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey
    const link = target.closest('[data-choose]')
    if (link && isPlain) {
      event.preventDefault()
      choose(field, link)
    }
    const button = target.closest<HTMLButtonElement>('[data-upload-one]')
    if (button) pickFile(acceptedOf(field.dataset.accept ?? ''), (file) => void upload(page, field, button, file))
  })
  page.addEventListener('input', ({ target }) => {
    const field = target instanceof HTMLInputElement && !target.dataset.taken ? fieldAround(target) : undefined
    // What is typed may be no picture.
    if (field) show(field, undefined)
  })
}

function fieldAround(target: Element): HTMLElement | undefined {
  return target.closest<HTMLElement>('[data-media]') ?? undefined
}

function choose(field: HTMLElement, link: Element): void {
  new Finder({
    label: 'Search files',
    icon: document.querySelector('a[data-jump] svg')?.cloneNode(true),
    verb: 'take it',
    find: (words, signal) => filesOf(field.dataset.media ?? '', words, signal),
    choose: ({ value, picture }) => {
      take(fieldNow(document, field), value, picture)
      if (link instanceof HTMLElement) link.focus()
    },
  })
}

async function filesOf(address: string, words: string, signal: AbortSignal): Promise<readonly FoundGroup[]> {
  const url = new URL(address, document.baseURI)
  url.searchParams.set('format', 'json')
  url.searchParams.set('q', words)
  const answer = await fetch(url, { signal, headers: { accept: 'application/json' } })
  const { data = [], message } = (await answer.json()) as { data?: readonly Choice[]; message?: string }
  if (!answer.ok) throw new Error(message ?? 'The list of files does not answer.')
  const found = data.map(({ path, filename, thumbnail }) => ({
    title: filename,
    value: path,
    note: path.slice(0, Math.max(0, path.length - filename.length - 1)),
    picture: thumbnail ?? undefined,
  }))
  return found.length === 0 ? [] : [{ label: 'Files', found }]
}

/** Returns the kinds and formats of a field as browsers take them; undefined where it takes any. */
function acceptedOf(kinds: string): string | undefined {
  const names = kinds === '' ? ['document'] : kinds.split(',')
  if (names.includes('document')) return undefined
  return names.map((name) => (/^(?:image|video|audio)$/.test(name) ? `${name}/*` : `.${name}`)).join()
}

function pickFile(accept: string | undefined, run: (file: File) => void): void {
  const input = made('input', { type: 'file', accept, hidden: '' })
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    input.remove()
    if (file) run(file)
  })
  input.addEventListener('cancel', () => input.remove())
  // One that nothing holds may be gone before a file is picked.
  document.body.append(input)
  input.click()
}

async function upload(page: Document, field: HTMLElement, button: HTMLButtonElement, file: File): Promise<void> {
  tell(field, undefined)
  button.setAttribute('aria-busy', 'true')
  speak(page, `Uploading ${file.name}.`)
  const sent = await send(fieldNow(page, field), file).catch((error: unknown) => ({
    fault: String(error instanceof Error ? error.message : error),
  }))
  button.removeAttribute('aria-busy')
  const now = fieldNow(page, field)
  if ('fault' in sent) return tell(now, `${file.name} was not uploaded: ${sent.fault}`)
  take(now, sent.path, file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined)
  speak(page, `${file.name} is uploaded and chosen.`)
}

/** Finds a field as the page has it now: a save that is answered draws it anew. */
function fieldNow(page: Document, field: HTMLElement): HTMLElement {
  if (field.isConnected) return field
  return page.getElementById(inputIn(field)?.id ?? '')?.closest<HTMLElement>('[data-media]') ?? field
}

async function send(field: HTMLElement, file: File): Promise<{ readonly path: string }> {
  const { pathname } = new URL(field.dataset.media ?? '', document.baseURI)
  const { url } = await uploadFile(pathname, file, field.closest('form'))
  return { path: decodeURIComponent(url.replace(/^\/media\//, '')) }
}

function inputIn(field: HTMLElement): HTMLInputElement | null {
  return field.querySelector<HTMLInputElement>('input[type="text"]')
}

/** Has a field say which file it takes, as if its path was typed. */
function take(field: HTMLElement, path: string, picture: string | undefined): void {
  const input = inputIn(field)
  if (!input) return
  input.value = path
  input.dataset.taken = 'true'
  for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, { bubbles: true }))
  delete input.dataset.taken
  tell(field, undefined)
  show(field, picture)
}

function show(field: HTMLElement, picture: string | undefined): void {
  const place = field.querySelector<HTMLElement>('.picture')
  if (!place) return
  place.hidden = picture === undefined
  place.replaceChildren(...(picture === undefined ? [] : [made('img', { src: picture, alt: '' })]))
}

function tell(field: HTMLElement, fault: string | undefined): void {
  field.querySelector('[data-fault]')?.remove()
  if (fault !== undefined) field.append(made('p', { class: 'error', role: 'alert', 'data-fault': '' }, made('span', {}, fault)))
}
