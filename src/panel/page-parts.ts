/** Adds to the parts of a page what they can't do without a script. Listens on the document, so parts that come later are served too. */
export function servePageParts(page: Document): void {
  page.addEventListener('click', (event) => {
    const { target } = event
    if (!(target instanceof Element)) return
    closeDrops(page, target)
    const copied = target.closest<HTMLButtonElement>('button[data-copy], button[data-copy-of]')
    if (copied) void copy(page, copied)
  })
  page.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) closeDrops(page, target)
  })
  page.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') leaveDrop(page)
    if (event.key === 'Enter' && isOneLine(event.target)) event.preventDefault()
  })
  page.addEventListener('input', ({ target }) => {
    if (isOneLine(target)) joinLines(target)
  })
  page.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement) tick(target)
    if (target instanceof HTMLInputElement && target.closest('[data-place]')) settle(page)
  })
  page.addEventListener('reset', ({ target }) => {
    // The form is as it was once the event is over.
    if (target instanceof HTMLFormElement) setTimeout(() => showAll(target))
  })
  for (const all of page.querySelectorAll<HTMLInputElement>('[data-all]')) showAll(all.form)
  page.querySelector<HTMLElement>('[data-take-focus]')?.focus()
}

/** Says something to those who listen. */
export function speak(page: Document, words: string): void {
  const place = page.getElementById('spoken')
  if (place) place.textContent = words
}

function closeDrops(page: Document, at: Element): void {
  for (const drop of page.querySelectorAll<HTMLDetailsElement>('details.drop[open]')) {
    if (!drop.contains(at)) drop.open = false
  }
}

function leaveDrop(page: Document): void {
  const drop = page.querySelector<HTMLDetailsElement>('details.drop[open]')
  if (!drop) return
  drop.open = false
  drop.querySelector('summary')?.focus()
}

async function copy(page: Document, button: HTMLButtonElement): Promise<void> {
  const of = page.getElementById(button.dataset.copyOf ?? '')
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? of?.textContent ?? '')
    speak(page, 'Copied.')
    button.lastChild?.replaceWith('Copied')
  } catch {
    // Where the clipboard is closed to pages, the text is selected: Ctrl C takes it.
    const text = of ?? button.parentElement?.querySelector('code')
    if (text) page.getSelection()?.selectAllChildren(text)
    speak(page, 'Selected. Copy it with Ctrl C.')
  }
}

function isOneLine(target: EventTarget | null): target is HTMLTextAreaElement {
  return target instanceof HTMLTextAreaElement && 'oneLine' in target.dataset
}

function joinLines(field: HTMLTextAreaElement): void {
  if (!/[\r\n]/.test(field.value)) return
  const at = field.selectionEnd
  field.value = field.value.replaceAll(/[\r\n]/g, ' ')
  field.setSelectionRange(at, at)
}

/** Tells those who listen how many places of a conflict have an answer: the page counts them by itself. */
function settle(page: Document): void {
  const places = [...page.querySelectorAll('[data-place]')]
  const count = places.filter((one) => one.querySelector('input:checked')).length
  speak(page, `${count} of ${places.length} settled.`)
}

/** The ticks of a form's rows follow the one for all of them, and it follows them. */
function tick(box: HTMLInputElement): void {
  if ('all' in box.dataset) for (const row of rowsOf(box.form)) row.checked = box.checked
  showAll(box.form)
}

function showAll(form: HTMLFormElement | null): void {
  const all = form?.querySelector<HTMLInputElement>('[data-all]')
  if (!all) return
  const rows = rowsOf(form)
  const chosen = rows.filter((row) => row.checked).length
  all.checked = rows.length > 0 && chosen === rows.length
  all.indeterminate = chosen > 0 && chosen < rows.length
}

function rowsOf(form: HTMLFormElement | null): HTMLInputElement[] {
  return [...(form?.querySelectorAll<HTMLInputElement>('input[name="ids[]"]') ?? [])]
}
