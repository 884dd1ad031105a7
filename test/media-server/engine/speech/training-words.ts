/** Common words that together contain all the sounds of English, in many combinations. */
export const TRAINING_WORDS: readonly string[] = `
about above across after again against all almost alone along always among amount and animal answer any apple
april arm around art ask away baby back bad bag ball bank base bath bear beautiful became because bed been before
began behind believe bell below best better between beyond big bird black blood blow blue board boat body bone book
both bottom bought box boy branch bread break breath bridge bright bring broken brother brought brown build burn bus
but butter button buy by cake call camp can car card care carry case cat caught center chair chance change cheap
check cheese child choose church circle city class clean clear climb clock close clothes cloud coffee cold color come
common company cook cool copy corn corner cotton could country couple course cousin cover cow cream cross crowd cry
cup cut dance danger dark daughter day dead deep desk did die different dinner dog dollar done door doubt down draw
dream dress drink drive drop dry during each ear early earth east easy eat edge egg eight either empty end engine
enjoy enough even evening ever every example eye face fact fair fall family famous far farm fast father favor feather
feel feet fell few field fifty fight figure fill film find fine finger finish fire first fish five flat floor flow
flower fly follow food foot for force forest forget fork form forward found four free fresh friend from front fruit
full fun future game garden gas gave general gentle get girl give glad glass go gold gone good government grass gray
great green ground group grow guess guest guitar gun had hair half hall hand happen happy hard hat have head hear
heart heavy help her high hill history hold hole home honey hope horse hospital hot hour house how huge human hundred
hurry husband ice idea if important inside into iron island itself job join joy judge juice jump june just keep key
kick kind king kitchen knee knife know ladder lake lamp land language large last late laugh law lead learn leather
leave left leg lemon less letter level library lie life light like line lion lip list little live long look loud love
low lunch machine made magic mail main make man many map march mark market matter may maybe me mean measure meat
medicine meet member memory men middle might mile milk million mind minute mirror miss mix moment money monkey month
moon more morning most mother mountain mouth move much music must my name narrow nation nature near neck need never
new news next nice night nine no noise north nose nothing now number nurse ocean of off offer office often oil old
once one onion only open orange other our out outside over own page paint pair palm paper parent park part party pass
past path pay peace pen people pepper perhaps person phone photo piano pick picture piece pilot pink place plain plan
plane plant plate play please pleasure pocket poem point police poor popular potato pound power practice press pretty
price problem promise proud public pull pump purple push put quarter queen question quick quiet quite rabbit race
radio rain raise ran rather reach read ready real reason red remember report rest rice rich ride right ring river
road rock roof room root rope rose rough round row rule run sad safe said sail salt same sand save saw say school
science sea season seat second see seem seven several shape share sharp she shelf shine ship shirt shoe shop short
should shoulder shout show shut sick side sign silver simple since sing sister sit six size skin sky sleep slow small
smell smile smoke smooth snow so soap sofa soft soil some son song soon sound soup south space speak special spell
spend spoon sport spring square stand star start station stay steam step still stone stop store storm story straight
strange stream street strong student study such sudden sugar suit summer sun supper sure surface surprise sweet swim
table take talk tall tea teach team teeth tell ten than thank that them then there these they thick thin thing think
third this those though thought thousand three through throw thumb thunder tie tiger time tiny tired today together
told tomorrow tongue too took tooth top touch toward town toy train travel treasure tree trip trouble truck true try
tube turn twelve twenty two uncle under until up upon us use usual valley value vegetable very video view village
visit voice vote wait walk wall want war warm was wash watch water wave way we wear weather week weight well went were
west what wheel when where which while white who whole why wide wife wild will win wind window winter wise wish with
without woman wonder wood word work world worry would write wrong yard year yellow yes yesterday yet you young zero
`
  .trim()
  .split(/\s+/);
