import { normalForm } from '#lib/text/normal-form.ts'

/**
 * Shows the address that a new record gets from its title, until its author types one. It is sent empty: then the server makes it
 * of the title, and of one that is taken another.
 */
export function serveSlugs(page: Document): void {
  // The field is drawn anew where the server had something to say of it.
  const slugIn = (target: EventTarget | null) =>
    target instanceof HTMLInputElement && target.matches('form[data-record=""] input[data-slug]') ? target : undefined
  const show = () => {
    const slug = slugIn(page.querySelector('form[data-record=""] input[data-slug]'))
    const title = slug?.form?.querySelector<HTMLTextAreaElement | HTMLInputElement>('[name="title"]')
    if (slug && title) slug.placeholder = slugOf(title.value)
  }
  page.addEventListener('input', ({ target }) => {
    if (target instanceof Element && target.matches('[name="title"]')) show()
  })
  page.addEventListener('taken-over', show)
  show()
  page.addEventListener('focusin', ({ target }) => {
    const slug = slugIn(target)
    if (slug?.value !== '') return
    slug.value = slug.placeholder
    slug.select()
  })
  page.addEventListener('focusout', ({ target }) => {
    const slug = slugIn(target)
    if (slug && slug.value === slug.placeholder) slug.value = ''
  })
}

/** Returns the address of a title in Latin letters; empty for any other, which the server transliterates. */
function slugOf(title: string): string {
  const plain = normalForm(title, 'NFKD')
    .replaceAll(/[\p{M}'’]/gu, '')
    .toLowerCase()
  if (/[^\x20-\x7e]/.test(plain)) return ''
  return plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 100)
}
