//! The attribute `#[primitive]`, which declares a primitive from one annotated function.
//!
//! ```text
//! /// Rotates a grid 90 degrees clockwise.
//! ///
//! /// (an `arc` block with examples: rot90([1 0 | 0 1 | 1 0]) = [1 0 1 | 0 1 0])
//! #[primitive(cost = PerCell)]
//! fn rot90(cx: &mut Cx, grid: Grid) -> Total<Grid> { … }
//! ```
//!
//! The types in the signature are types of the DSL and become the primitive's declared signature. At run time
//! the language is as dynamic as Python, so in the body every argument is a `Value` and the result is a
//! `Result<Value, Fail>`. `Total` declares that calls with arguments of the declared types succeed; `Partial`
//! calls may fail.
//!
//! Options:
//!
//! - `cost = Constant | Closure | PerCell | PerPair | PerCall` (required): how the fuel of a call is computed
//! - `order_sensitive`: the result depends on the order in which sets iterate
//! - `alias(a, b)`: other names of the primitive
//! - `keyword(new = old)`: other names of parameters
//! - `infer = BindFirst | BindLast | …`: the result type does not follow from the signature
//! - `meaning = n`: increased by hand when the meaning changes

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Expr, FnArg, GenericArgument, Ident, ItemFn, Pat, PathArguments, ReturnType, Type};

#[proc_macro_attribute]
pub fn primitive(options: TokenStream, item: TokenStream) -> TokenStream {
    let function = syn::parse_macro_input!(item as ItemFn);
    match expand(options.into(), function) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn expand(options: Tokens, function: ItemFn) -> syn::Result<Tokens> {
    let options = Options::parse(options)?;
    let name = &function.sig.ident;
    let block = &function.block;
    let docs = docs(&function);
    let doc_attrs = function.attrs.iter();

    let mut inputs = function.sig.inputs.iter();
    let (cx, cx_type) = match inputs.next() {
        Some(FnArg::Typed(arg)) => match &*arg.ty {
            Type::Reference(reference) => (pat_ident(&arg.pat)?, &reference.elem),
            other => return Err(syn::Error::new_spanned(other, "the first parameter must be `cx: &mut Cx`")),
        },
        _ => return Err(syn::Error::new_spanned(&function.sig, "the first parameter must be `cx: &mut Cx`")),
    };
    let mut names = Vec::new();
    let mut types = Vec::new();
    for input in inputs {
        let FnArg::Typed(arg) = input else { unreachable!("`self` comes first") };
        names.push(pat_ident(&arg.pat)?);
        types.push(ty(&arg.ty)?);
    }
    let body = match names.len() {
        1 => quote!(F1),
        2 => quote!(F2),
        3 => quote!(F3),
        4 => quote!(F4),
        _ => {
            return Err(syn::Error::new_spanned(
                &function.sig,
                "a primitive must take one to four arguments",
            ));
        }
    };
    let (total, result) = match &function.sig.output {
        ReturnType::Type(_, output) => result(output)?,
        ReturnType::Default => {
            return Err(syn::Error::new_spanned(
                &function.sig,
                "a primitive must return `Total<…>` or `Partial<…>`",
            ));
        }
    };
    let Options { cost, order_sensitive, aliases, keywords, infer, meaning } = options;
    // `r#move` is Rust's spelling of the primitive `move`.
    let name_text = name.unraw().to_string();
    let name_texts = names.iter().map(|name| name.unraw().to_string());
    let keywords = keywords.iter().map(|(new, old)| quote!((#new, #old)));

    Ok(quote! {
        #(#doc_attrs)*
        #[allow(unused_variables, reason = "not every body uses its context")]
        fn #name<'a>(
            #cx: &mut #cx_type<'a>,
            #(#names: batt_value::Value<'a>),*
        ) -> Result<batt_value::Value<'a>, batt_value::Fail> #block

        mod #name {
            use crate::sig::{Cost, Infer, Ty};

            pub(super) static ROW: crate::registry::Row = crate::registry::Row {
                name: #name_text,
                params: &[#(#name_texts),*],
                types: || (vec![#(#types),*], #result),
                total: #total,
                docs: #docs,
                cost: Cost::#cost,
                order_sensitive: #order_sensitive,
                aliases: &[#(#aliases),*],
                keywords: &[#(#keywords),*],
                infer: Infer::#infer,
                meaning: #meaning,
                body: crate::registry::Body::#body(super::#name),
            };
        }
    })
}

struct Options {
    cost: Ident,
    order_sensitive: bool,
    aliases: Vec<String>,
    keywords: Vec<(String, String)>,
    infer: Ident,
    meaning: u32,
}

impl Options {
    fn parse(tokens: Tokens) -> syn::Result<Options> {
        let mut cost = None;
        let mut options = Options {
            cost: Ident::new("Constant", proc_macro2::Span::call_site()),
            order_sensitive: false,
            aliases: Vec::new(),
            keywords: Vec::new(),
            infer: Ident::new("Declared", proc_macro2::Span::call_site()),
            meaning: 1,
        };
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("cost") {
                cost = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("order_sensitive") {
                options.order_sensitive = true;
            } else if meta.path.is_ident("infer") {
                options.infer = meta.value()?.parse()?;
            } else if meta.path.is_ident("meaning") {
                options.meaning = meta.value()?.parse::<syn::LitInt>()?.base10_parse()?;
            } else if meta.path.is_ident("alias") {
                meta.parse_nested_meta(|alias| {
                    options.aliases.push(alias.path.require_ident()?.to_string());
                    Ok(())
                })?;
            } else if meta.path.is_ident("keyword") {
                meta.parse_nested_meta(|keyword| {
                    let old: Ident = keyword.value()?.parse()?;
                    let new = keyword.path.require_ident()?;
                    options.keywords.push((new.unraw().to_string(), old.unraw().to_string()));
                    Ok(())
                })?;
            } else {
                return Err(meta.error("unknown option"));
            }
            Ok(())
        });
        syn::parse::Parser::parse2(parser, tokens)?;
        options.cost =
            cost.ok_or_else(|| syn::Error::new(proc_macro2::Span::call_site(), "`cost = …` is missing"))?;
        Ok(options)
    }
}

fn docs(function: &ItemFn) -> String {
    let mut docs = String::new();
    for attr in &function.attrs {
        if let syn::Meta::NameValue(meta) = &attr.meta
            && attr.path().is_ident("doc")
            && let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }) = &meta.value
        {
            let line = line.value();
            docs.push_str(line.strip_prefix(' ').unwrap_or(&line));
            docs.push('\n');
        }
    }
    docs
}

fn pat_ident(pat: &Pat) -> syn::Result<Ident> {
    match pat {
        Pat::Ident(pat) => Ok(pat.ident.clone()),
        _ => Err(syn::Error::new_spanned(pat, "a parameter must be a plain name")),
    }
}

/// Parses `Total<Grid>` or `Partial<Grid>`: whether it is total, and the type.
fn result(output: &Type) -> syn::Result<(bool, Tokens)> {
    let error = || syn::Error::new_spanned(output, "a primitive must return `Total<…>` or `Partial<…>`");
    let (name, args) = path(output)?;
    let [inner] = &args[..] else { return Err(error()) };
    match name.to_string().as_str() {
        "Total" => Ok((true, ty(inner)?)),
        "Partial" => Ok((false, ty(inner)?)),
        _ => Err(error()),
    }
}

/// Converts a DSL type to the expression that makes it: `Set<A>` to `Ty::set(Ty::Var('A'))`.
fn ty(written: &Type) -> syn::Result<Tokens> {
    let (name, args) = path(written)?;
    let args = args.iter().map(ty).collect::<syn::Result<Vec<_>>>()?;
    let text = name.to_string();
    Ok(match (text.as_str(), &args[..]) {
        (letter, []) if letter.len() == 1 => {
            let letter = letter.chars().next();
            quote!(Ty::Var(#letter))
        }
        ("Tuple", [of]) => quote!(Ty::tuple(#of)),
        ("Set", [of]) => quote!(Ty::set(#of)),
        ("Container", [of]) => quote!(Ty::container(#of)),
        ("Func", [params @ .., result]) => quote!(Ty::func(vec![#(#params),*], #result)),
        (_, []) => quote!(Ty::#name),
        _ => return Err(syn::Error::new_spanned(written, "unknown type of the DSL")),
    })
}

fn path(written: &Type) -> syn::Result<(&Ident, Vec<Type>)> {
    let error = || syn::Error::new_spanned(written, "unknown type of the DSL");
    let Type::Path(path) = written else { return Err(error()) };
    let segment = path.path.segments.last().ok_or_else(error)?;
    let args = match &segment.arguments {
        PathArguments::None => Vec::new(),
        PathArguments::AngleBracketed(args) => args
            .args
            .iter()
            .map(|arg| match arg {
                GenericArgument::Type(arg) => Ok(arg.clone()),
                _ => Err(error()),
            })
            .collect::<syn::Result<_>>()?,
        PathArguments::Parenthesized(_) => return Err(error()),
    };
    Ok((&segment.ident, args))
}
