import { keepEditorChoice } from './editor-choice.ts'
import { serveFileUploads } from './file-uploads.ts'
import { serveFocalPoint } from './focal-point.ts'
import { serveJump } from './jump.ts'
import { Keys } from './keys.ts'
import { serveListDragging } from './list-dragging.ts'
import { serveMediaFields } from './media-fields.ts'
import { serveMenuDragging } from './menu-dragging.ts'
import { servePageParts } from './page-parts.ts'
import { servePlaces } from './places.ts'
import { servePreview } from './preview-pane.ts'
import { keepRecord } from './record-saving.ts'
import { serveRedrawing } from './redrawing.ts'
import { serveReferences } from './references.ts'
import { serveRows } from './rows.ts'
import { serveSaving } from './saving.ts'
import { serveSlugs } from './slugs.ts'
import { serveTermPlaces } from './term-places.ts'
import { mountTextFields } from './text-fields.ts'
import { serveToasts } from './toasts.ts'

const keys = new Keys(document)
servePageParts(document)
serveToasts(document)
serveJump(document, keys)
servePlaces(document, keys)
serveRows(document, keys)
keepRecord(document)
serveSaving(document, keys)
serveRedrawing(document)
serveMenuDragging(document)
serveTermPlaces(document)
serveListDragging(document)
serveSlugs(document)
keepEditorChoice(document)
mountTextFields(document)
servePreview(document)
serveFileUploads(document)
serveFocalPoint(document)
serveReferences(document)
serveMediaFields(document)
