package main

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/component-helpers/auth/rbac/validation"
	"sigs.k8s.io/json"
)

// rbacCovers gives the parts of the rules in the second line that the rules in the first one do not cover.
func rbacCovers(input []byte) string {
	ownText, requestedText := separated(input)
	var own, requested []rbacv1.PolicyRule
	if err := json.UnmarshalCaseSensitivePreserveInts(ownText, &own); err != nil {
		return failed(err)
	}
	if err := json.UnmarshalCaseSensitivePreserveInts(requestedText, &requested); err != nil {
		return failed(err)
	}
	_, uncovered := validation.Covers(own, requested)
	parts := make([][5][]string, 0)
	for _, rule := range uncovered {
		part := [5][]string{rule.Verbs, rule.APIGroups, rule.Resources, rule.ResourceNames, rule.NonResourceURLs}
		for i := range part {
			part[i] = append([]string{}, part[i]...)
		}
		parts = append(parts, part)
	}
	return asJSON(parts)
}
