import { partOf, redraw } from './redrawing.ts'

/** Has the items of lists in forms dragged by their grips. */
export function serveListDragging(page: Document): void {
  const mark = () => {
    for (const list of page.querySelectorAll('[data-list] > .items')) list.setAttribute('data-sortable', '')
  }
  mark()
  page.addEventListener('redrawn', mark)
  page.addEventListener('pointerdown', (event) => {
    const grip = event.target instanceof Element ? event.target.closest<HTMLElement>('.items [data-grip]') : null
    const item = grip?.closest<HTMLElement>('.item')
    if (!item || event.button !== 0) return
    event.preventDefault()
    drag(page, item)
  })
}

/** Moves an item with the pointer; Escape takes it back. */
function drag(page: Document, item: HTMLElement): void {
  const list = item.parentElement
  const form = item.closest('form')
  const before = [...(list?.children ?? [])]
  const listening = new AbortController()
  const { signal } = listening
  const end = () => {
    listening.abort()
    delete item.dataset.dragged
  }
  const takeBack = () => {
    end()
    list?.append(...before)
  }
  item.dataset.dragged = ''
  page.addEventListener(
    'pointermove',
    ({ clientY }) => {
      const next = [...(list?.children ?? [])].find((one) => {
        const { top, height } = one.getBoundingClientRect()
        return one !== item && clientY < top + height / 2
      })
      if (next) next.before(item)
      else list?.append(item)
    },
    { signal },
  )
  page.addEventListener('pointercancel', takeBack, { signal })
  page.addEventListener('keydown', ({ key }) => key === 'Escape' && takeBack(), { signal })
  page.addEventListener(
    'pointerup',
    () => {
      end()
      const to = [...(list?.children ?? [])].indexOf(item)
      const [, path] =
        /^up:(.+)$/s.exec(item.querySelector<HTMLButtonElement>(':scope > .item-tools [value^="up:"]')?.value ?? '') ?? []
      const part = partOf(item)
      if (!form || !part || path === undefined || before[to] === item) return
      const button = page.createElement('button')
      Object.assign(button, { name: 'do', value: `move:${path}.${to}`, hidden: true })
      form.append(button)
      void redraw(page, form, button, part).then((isDone) => {
        button.remove()
        if (!isDone) list?.append(...before)
      })
    },
    { signal },
  )
}
