import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { linkTo } from './record-links.ts'
import { settings } from './settings.ts'
import { Waiting } from './widgets.ts'

/** A file that is on its way, known by this object. */
interface Transfer {
  readonly name: string
}

const begin = StateEffect.define<{ transfer: Transfer; at: number }>({
  map: ({ transfer, at }, changes) => ({ transfer, at: changes.mapPos(at, 1) }),
})
const end = StateEffect.define<Transfer>()

// The places where files will stand. They move with the text and are no part of it, so that none is saved before it is there.
const transfers = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(places, { changes, effects }) {
    let now = places.map(changes)
    for (const effect of effects) {
      if (effect.is(end)) now = now.update({ filter: (_, __, { spec }) => spec.transfer !== effect.value })
      if (!effect.is(begin)) continue
      const { transfer, at } = effect.value
      now = now.update({ add: [Decoration.widget({ widget: new Waiting(transfer.name), side: 1, transfer }).range(at)] })
    }
    return now
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Shows files that are on their way, and where they will stand. */
export const uploads = transfers

/** Uploads files and inserts each where its place is by the time it is stored. */
export function uploadFiles(view: EditorView, files: readonly File[], at: number): void {
  const { upload, say } = view.state.facet(settings)
  if (!upload) return
  for (const file of files) {
    const transfer: Transfer = { name: file.name }
    view.dispatch({ effects: begin.of({ transfer, at }) })
    upload(file).then(
      ({ url, alt }) => settle(view, transfer, markdownOf(file, url, alt)),
      (error: unknown) => {
        settle(view, transfer, '')
        say(`${file.name} was not uploaded: ${error instanceof Error ? error.message : String(error)}`)
      },
    )
  }
}

function markdownOf(file: File, url: string, alt: string): string {
  return file.type.startsWith('image/') ? `!${linkTo(alt, url)}` : linkTo(alt || file.name, url)
}

/** One splice. Where the author has removed the place, nothing is inserted. */
function settle(view: EditorView, transfer: Transfer, insert: string): void {
  const places = view.state.field(transfers, false)?.iter()
  while (places?.value && places.value.spec.transfer !== transfer) places.next()
  if (!places?.value) return
  view.dispatch({ changes: { from: places.from, insert }, effects: end.of(transfer), userEvent: 'input.upload' })
}
