import { mountTextFields } from './text-fields.ts'

mountTextFields(document)
